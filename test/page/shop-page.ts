import type { BrowserContext, Page } from 'playwright-core';

export type Mode =
  | 'Works'
  | 'Loses answers'
  | 'Slow'
  | 'Offline'
  | 'Shop breaks'
  | 'Gateway 504'
  | 'Session ends';

/** The page as a person uses it. */
export class ShopPage {
  readonly page: Page;
  readonly errors: string[] = [];

  constructor(page: Page) {
    this.page = page;
    page.on('pageerror', (error) => this.errors.push(error.message));
  }

  static async open(context: BrowserContext, url: string): Promise<ShopPage> {
    const shop = new ShopPage(await context.newPage());
    await shop.page.goto(url);
    return shop;
  }

  /** The cart's one button: it places the order, and as long as its outcome is not known goes on with it. */
  get placeButton() {
    return this.page.getByRole('region', { name: 'Cart' }).getByRole('button');
  }

  async network(mode: Mode): Promise<void> {
    await this.page.getByRole('radio', { name: mode }).check();
  }

  async fillCart(name = 'Green tea, 100 g'): Promise<void> {
    await this.page.getByRole('button', { name: `One ${name} more` }).click();
  }

  /** Waits until the page shows `text`. */
  async says(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  async text(): Promise<string> {
    return (await this.page.locator('#root').textContent()) ?? '';
  }

  /** The cart's id, which is its order's key. */
  async cartId(accountId = 'ada'): Promise<string> {
    const cart = await this.page.evaluate((name) => localStorage.getItem(name), `shop.cart.${accountId}`);
    return JSON.parse(cart!).id;
  }

  /** The keys of the operations that the outbox panel lists, pending or delivered. */
  async keys(): Promise<string[]> {
    return this.page
      .locator('.operation')
      .evaluateAll((entries) => entries.map((entry) => entry.getAttribute('data-key') ?? ''));
  }

  /** The renderer dies, as when the system ends a tab: no handler of the page runs. */
  async kill(): Promise<void> {
    const crashed = this.page.waitForEvent('crash');
    const session = await this.page.context().newCDPSession(this.page);
    // Nobody is left to answer.
    session.send('Page.crash').catch(() => {});
    await crashed;
  }
}
