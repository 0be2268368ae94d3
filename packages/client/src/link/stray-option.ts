/**
 * What to say of a name that is no option: misspelt, it would leave an operation without its intent, unseen. The contract's
 * `unknownOption` also finds what was meant, which is half a kilobyte more.
 */
export function strayOption(given: object, known: readonly string[]): string | undefined {
  const stray = Object.keys(given).find((name) => !known.includes(name));
  return stray && `${stray} is not an option; they are ${known.join(', ')}`;
}
