/**
 * Which server a URL means: absolute, without its query and a trailing slash. A relative one is the page's own, as `fetch`
 * reads it. What may be secret of a URL (a query, a name and a password) says nothing of the server, and is left out.
 */
export function serverOf(url: string): string {
  let address = url;
  try {
    address = new Request(url).url;
  } catch {
    // Relative where there is no page, or with a password in it: nothing can be sent there either.
  }
  return address.replace(/\/*([?#].*)?$/s, '').replace(/\/\/[^/]*@/, '//');
}
