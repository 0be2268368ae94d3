/**
 * Runs in every page before its own code, and says what the page shows and when it is tapped. Plain JavaScript, because it is
 * sent to the browser as it stands.
 */
(() => {
  const say = (what) => window.watched?.(JSON.stringify(what));
  const stored = (name) => JSON.parse(localStorage.getItem(name));
  let last = new Map();

  function look() {
    const now = new Map();
    for (const one of document.querySelectorAll('.operation')) {
      const { key, state } = one.dataset;
      const badge = one.querySelector('.badge')?.textContent ?? '';
      now.set(`operation ${key}`, { kind: 'operation', key, state, badge });
    }
    const cart = document.querySelector('[data-cart]');
    if (cart) {
      const told = cart.querySelector('.told');
      const of = told?.querySelector('[data-of]')?.dataset.of;
      const text = (told?.textContent ?? '').trim();
      now.set('told', { kind: 'told', cart: cart.dataset.cart, state: cart.dataset.state, of, text });
    }
    for (const [name, sight] of now)
      if (JSON.stringify(sight) !== JSON.stringify(last.get(name))) say({ sight });
    last = now;
  }

  new MutationObserver(look).observe(document, {
    subtree: true,
    childList: true,
    characterData: true,
    attributes: true,
    attributeFilter: ['data-state', 'data-cart', 'data-key', 'data-of'],
  });
  // Before the page's own handler, in the same tick: what the finger was on.
  document.addEventListener(
    'click',
    ({ target }) => {
      const button = target.closest?.('[data-cart] button.makes');
      if (!button) return;
      const { cart, account } = button.closest('[data-cart]').dataset;
      const signedIn = localStorage.getItem('shop.session') === null ? 'ada' : stored('shop.session');
      say({ tap: { cart, account, signedIn } });
    },
    true,
  );
})();
