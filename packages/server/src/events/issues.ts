/** More of them say nothing more. */
const MOST = 5;

/**
 * Where a validator (zod, valibot, any that speaks Standard Schema) found fault, as `address.zip (too_small)`; undefined for
 * an error that is none of theirs. Places and codes only: their messages quote what was sent ("received 4111…"). So may a
 * place, for the keys of a record are somebody's too: what does not look like a field's name is `*`.
 */
export function issuesOf(error: unknown): string | undefined {
  const issues = (error as { issues?: unknown } | undefined)?.issues;
  if (!Array.isArray(issues) || issues.length === 0) return undefined;
  // Copied first: arktype's are arrays of its own classes, and what those make of slice() is theirs to say.
  const said = [...issues].slice(0, MOST).map((issue) => placeOf(issue?.path) + codeOf(issue ?? {}));
  return [...said, ...(issues.length > MOST ? [`and ${issues.length - MOST} more`] : [])].join(', ');
}

/** Standard Schema has the parts of a path as keys, or as objects that hold one. */
function placeOf(path: unknown): string {
  if (!Array.isArray(path) || path.length === 0) return 'itself';
  return [...path].map((part) => partOf(part?.key ?? part)).join('.');
}

function partOf(key: unknown): string {
  if (typeof key === 'number') return String(key);
  return typeof key === 'string' && isWord(key) ? key : '*';
}

/** zod has a code, valibot the type that was wanted. */
function codeOf({ code, type }: { code?: unknown; type?: unknown }): string {
  const word = code ?? type;
  return typeof word === 'string' && isWord(word) ? ` (${word})` : '';
}

function isWord(text: string): boolean {
  return /^[A-Za-z_$][\w$-]{0,39}$/.test(text);
}
