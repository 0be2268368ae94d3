/**
 * What a body is that is not tRPC's answer, in words for whoever looks for the fault. Never what it says: it may be
 * anybody's page, and this ends in logs.
 */
export function notAnAnswer(status: number, text: string): string {
  // A page is told of a redirect only that it is one, with status 0.
  if (/^(0|30[12378])$/.test(`${status}`))
    return 'a redirect, which is not followed: give the client the address that it leads to';
  return `HTTP ${status} ${contentOf(text)}`;
}

function contentOf(text: string): string {
  if (text.trim() === '') return 'with an empty body';
  if (/^\s*</.test(text)) return 'with a page of HTML';
  let body: any;
  try {
    body = JSON.parse(text);
  } catch {
    return 'with a body that is not whole JSON';
  }
  if (Array.isArray(body)) return 'with the answer to a batch';
  const error = body?.error?.json ?? body?.error;
  const trpc = error?.code < 0 && typeof error.message === 'string';
  return trpc || (body?.result && 'data' in Object(body.result))
    ? "in tRPC's form, but of another operation or redirected, or written by another transformer than this client's: give both sides the same one"
    : 'with JSON that is not in the form of tRPC';
}
