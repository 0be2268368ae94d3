/**
 * The arrows: who may import whom. `npm run arrows` checks them; test/package/arrows.test.ts shows that each one bites.
 */

const { builtinModules } = require('node:module');

/**
 * Rooms, line by line. A room may import from the lines above its own, never from a line below, and never from a
 * neighbour on its own line. The topmost line is vocabulary, whose words may explain each other.
 */
const rooms = {
  server: [
    ['outcome', 'events'],
    ['fingerprint', 'claims', 'records'],
    ['execution', 'sweeper'],
    ['procedure', 'embedded'],
  ],
  client: [['errors'], ['attempts'], ['outbox'], ['link'], ['client'], ['react']],
  outbox: [
    ['operation'],
    ['others'],
    ['store'],
    ['hand-over'],
    ['runs'],
    ['calls', 'waking'],
    ['coordination'],
    ['storages'],
  ],
};

const folders = {
  server: 'packages/server/src',
  client: 'packages/client/src',
  outbox: 'packages/client/src/outbox',
};

/** Files of these rooms: a folder, or a single file of that name. */
const within = (name, ofRooms) => `^${folders[name]}/(${ofRooms.join('|')})(/|\\.tsx?$)`;

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

const roomRules = Object.entries(rooms).flatMap(([name, lines]) =>
  lines.flatMap((line, at) =>
    line.flatMap((room) => {
      const neighbours = at === 0 ? [] : line.filter((other) => other !== room);
      const forbidden = [...neighbours, ...lines.slice(at + 1).flat()];
      if (forbidden.length === 0) return [];
      return rule(
        `${name}-room-${room}`,
        `${room}/ may import what lies above it in the list of rooms; what it shares with another room belongs there`,
        { path: within(name, [room]) },
        { path: within(name, forbidden) },
      );
    }),
  ),
);

const tests = '\\.(test|test-d)\\.tsx?$';

/** The files of an npm package, wherever pnpm puts them. */
const npm = (...names) => ({ path: `(^|node_modules/)(${names.join('|')})(/|$)` });

module.exports = {
  forbidden: [
    ...roomRules,
    rule(
      'contract-knows-no-side',
      'both sides import the contract, so it can hold nothing of either',
      { path: '^packages/contract/' },
      { path: '^packages/(server|client)/' },
    ),
    rule(
      'server-knows-no-client',
      'server and client meet in the contract only',
      { path: '^packages/server/' },
      { path: '^packages/client/' },
    ),
    rule(
      'client-knows-no-server',
      'server and client meet in the contract only',
      { path: '^packages/client/' },
      { path: '^packages/server/' },
    ),
    rule(
      'packages-stand-alone',
      'what is published cannot need what is not',
      { path: '^packages/' },
      { path: '^(test|examples|bench|scripts)/' },
    ),
    ...['contract', 'server', 'client'].map((name) =>
      rule(
        `${name}-by-its-front-door`,
        'a package is used by its name, never by a path into it',
        { pathNot: `^packages/${name}/` },
        { path: `^packages/${name}/`, dependencyTypes: ['local'] },
      ),
    ),
    rule(
      'only-claims-know-redis',
      'a claim is a hint: nothing else may come to depend on Redis',
      { path: '^packages/', pathNot: within('server', ['claims', 'embedded']) },
      npm('ioredis'),
    ),
    rule(
      'only-records-know-postgres',
      'all SQL lies in one room',
      { path: '^packages/', pathNot: within('server', ['records', 'embedded']) },
      npm('pg', '@types/pg', '@electric-sql/pglite'),
    ),
    rule(
      'only-procedure-knows-trpc-server',
      'what runs an operation works without tRPC',
      { path: '^packages/server/src/', pathNot: within('server', ['procedure']) },
      npm('@trpc/server'),
    ),
    rule(
      'contract-names-trpc-types-only',
      'a browser loads the contract: no code of a server may come with it',
      { path: '^packages/contract/src/', pathNot: tests },
      { ...npm('@trpc/server'), dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'only-link-and-client-know-trpc-client',
      'the outbox and the attempts work without tRPC; errors/ may recognise its error',
      {
        path: '^packages/client/src/',
        pathNot: within('client', ['errors', 'link', 'client', 'react', 'index']),
      },
      npm('@trpc/client'),
    ),
    rule(
      'nothing-of-node',
      'browsers and phones load the main entry of these',
      { path: '^packages/(contract|client)/src/index\\.ts$' },
      { path: `^(node:)?(${builtinModules.join('|')})$`, reachable: true },
    ),
    rule('no-cycles', 'two files that need each other are one idea, or hide a third', {}, { circular: true }),
    rule(
      'declared-dependencies-only',
      'what is imported is in the package.json beside it',
      { path: '^(packages|examples|test|bench)/' },
      {
        dependencyTypes: ['npm-no-pkg', 'npm-unknown'],
        // A peer that is a dev dependency too shows up as missing from "dependencies".
        dependencyTypesNot: ['npm', 'npm-dev', 'npm-peer', 'npm-optional'],
      },
    ),
    rule(
      'published-code-needs-no-dev-dependency',
      'whoever installs the package does not get these',
      { path: '^packages/[^/]+/src/', pathNot: tests },
      { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm', 'npm-peer', 'type-only'] },
    ),
    rule('resolvable', 'an import that leads nowhere', {}, { couldNotResolve: true }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|node_modules/\\.cache)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@trpc-once/source', 'import', 'node', 'types', 'default'],
    },
  },
};
