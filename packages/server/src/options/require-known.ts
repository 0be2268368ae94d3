import { unknownOption } from '@trpc-once/contract';

/**
 * For those who come here without types: a misspelt option would leave its default in force unseen.
 * @param known Every option there is, by its name: `{ … } satisfies Record<keyof Options, true>` keeps it complete.
 * @throws TypeError naming the option, and the one that was likely meant.
 */
export function requireKnown(where: string, options: unknown, known: object): void {
  const unknown = unknownOption(where, options, known);
  if (unknown !== undefined) throw new TypeError(unknown);
}
