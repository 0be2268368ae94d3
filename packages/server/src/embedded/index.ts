export {
  type EnvironmentStores,
  type SqlExecutor,
  type StoresEnvironment,
  storesFromEnv,
} from './stores-from-env.js';
