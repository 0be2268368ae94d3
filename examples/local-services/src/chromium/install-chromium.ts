/** Run before the tests: installs a Chromium where there is none and it can. */
import { ensureChromium } from './ensure-chromium.js';

try {
  ensureChromium();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
}
