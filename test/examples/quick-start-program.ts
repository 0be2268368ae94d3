import { parent } from '../resources/parent.js';

await import('../../examples/quick-start/src/server.js');
parent.tell('ready');
// It serves until it is killed, as the README's server does.
