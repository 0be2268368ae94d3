export { type Books, readBooks } from './database/books.js';
export { buildPage } from './web/build-page.js';
export { startWebShop, type WebShop, type WebShopOptions } from './web/start-web-shop.js';
