import { register } from 'tsx/esm/api';

// Node 20 hands no worker the loader that its process was started with.
register();
await import('./file-counter-worker.ts');
