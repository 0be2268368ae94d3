import { describe } from 'vitest';
import { openOrm, openPGlite, openPostgres } from './records-stores.js';
import { recordsSuite } from './records-suite.js';

describe('records in Postgres, plain pool', () => recordsSuite(() => openPostgres(false)));
describe('records in Postgres, pipelining pool', () => recordsSuite(() => openPostgres(true)));
describe('records through an ORM', () => recordsSuite(() => openOrm()));
describe('records in PGlite', () => recordsSuite(openPGlite));
