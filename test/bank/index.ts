export { bank } from './bank-contract.js';
export { effects, recordsOf, totalCents } from './bank-tables.js';
export { heldHandler } from './held-handler.js';
export { type OpenBank, openBank } from './open-bank.js';
export { oneEuro, send } from './send.js';
export { type BankProcess, spawnBank } from './spawn-bank.js';
export { startBank } from './start-bank.js';
