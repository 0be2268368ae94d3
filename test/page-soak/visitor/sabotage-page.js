/** Runs in every page of a sabotaged soak before its own code; `window.sabotage` says which fault it puts in. */
(() => {
  const { sabotage, fetch } = window;
  const sent = new Set();
  window.fetch = async (url, init) => {
    const headers = new Headers(init?.headers);
    const key = headers.get('idempotency-key');
    if (key === null) return fetch(url, init);
    // Nobody gets a word out of it any more, nor a reload in.
    if (sabotage === 'hang') for (;;);
    if (sabotage === 'new-keys') headers.set('idempotency-key', `"${crypto.randomUUID()}"`);
    if (sabotage === 'other-account' && sent.has(key))
      headers.set(
        'authorization',
        headers.get('authorization') === 'Bearer ada' ? 'Bearer ben' : 'Bearer ada',
      );
    sent.add(key);
    const asked = fetch(url, { ...init, headers });
    return sabotage === 'guess' ? asked.catch(() => refusal()) : asked;
  };
  if (sabotage === 'forgetful') {
    const { put } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.put = function (value, key) {
      put.call(this, value, key);
      return this.delete(key);
    };
  }

  function refusal() {
    const declared = { name: 'OUT_OF_STOCK', data: { sku: 'tea-green', left: 0 } };
    const idempotency = { settlement: 'settled' };
    const data = { code: 'CONFLICT', httpStatus: 409, path: 'orders.checkOut', idempotency, declared };
    const body = JSON.stringify({ error: { message: 'none left', code: -32009, data } });
    return new Response(body, { status: 409, headers: { 'content-type': 'application/json' } });
  }
})();
