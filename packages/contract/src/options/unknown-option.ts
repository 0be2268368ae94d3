/**
 * What to say of options that nobody knows: a misspelt one would leave its default in force unseen, and types say so only
 * to those who use them. Each caller throws it as the error that its own callers expect.
 *
 * @param where How the call reads, as in `createOnce`.
 * @param known Every option there is, by its name.
 * @returns `undefined` where all of them are known.
 */
export function unknownOption(where: string, options: unknown, known: object): string | undefined {
  if (options === undefined) return undefined;
  const names = Object.keys(known);
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    return `${where}: its options are an object with any of ${names.join(', ')}, not ${options === null ? 'null' : Array.isArray(options) ? 'a list' : `a ${typeof options}`}`;
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return undefined;
  const nearest = nearestName(unknown, names);
  return `${where}({ ${unknown} }): there is no such option${nearest === undefined ? '' : `, did you mean ${nearest}?`}; there ${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}`;
}

/**
 * The name that was most likely meant; `undefined` where none is near.
 * @param mostSlips Letters put in, left out, replaced or swapped. @default a third of them: with more it is another word
 */
export function nearestName(
  name: string,
  names: Iterable<string>,
  mostSlips: number = Math.ceil(plain(name).length / 3),
): string | undefined {
  const meant = plain(name);
  let nearest: string | undefined;
  let least = mostSlips + 1;
  for (const candidate of names) {
    const other = plain(candidate);
    const slips = slipsBetween(meant, other);
    // `timeout` for `runTimeoutMs`.
    const distance = meant.length >= 4 && other.includes(meant) ? Math.min(slips, 2) : slips;
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

/** `leaseMS`, `lease_ms` and `leaseMs` are one name to whoever mistypes it. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}

function slipsBetween(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, at) => at)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let i = 1; i <= from.length; i++) {
    rows[i] = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = at(i - 1, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
          ? at(i - 2, j - 2) + 1
          : Infinity;
      (rows[i] as number[])[j] = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, replaced, swapped);
    }
  }
  return at(from.length, to.length);
}
