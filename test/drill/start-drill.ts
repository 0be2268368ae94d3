import { type StartedProgram, startExample } from '../resources/start-example.js';

/** The drill, as `npm start` runs it. */
export interface StartedDrill extends StartedProgram {
  /** A figure of its table. */
  figure(name: string): string | undefined;
}

export function startDrill(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): StartedDrill {
  const drill = startExample('shop/src/drill/main.ts', args, env);
  const figure = (name: string) => new RegExp(`^  ${name} +(\\S+)`, 'm').exec(drill.output())?.[1];
  return { ...drill, figure };
}
