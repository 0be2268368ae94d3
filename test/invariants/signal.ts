/** Something that one side gives and the other waits for. */
export function signal(): { readonly given: Promise<void>; give(): void } {
  let give = (): void => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}
