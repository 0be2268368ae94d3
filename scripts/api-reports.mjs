/**
 * Compares what each package exports, as its built declarations say it, with the report that is committed for it; with
 * `--update` writes the reports anew. A change of the public surface is then seen by whoever reviews it.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor';
import { packages } from './packages.mjs';
import { root } from './run.mjs';

const update = process.argv.includes('--update');
const temporary = mkdtempSync(join(tmpdir(), 'trpc-once-api-'));
process.on('exit', () => rmSync(temporary, { recursive: true }));
const differing = [];

for (const { folder, entries } of packages()) {
  const reports = join(folder, 'api');
  mkdirSync(reports, { recursive: true });
  for (const entry of entries) compare(join(reports, `${entry.name}.api.md`), report(folder, entry));
  const expected = entries.map(({ name }) => `${name}.api.md`);
  for (const file of readdirSync(reports).filter((file) => !expected.includes(file)))
    compare(join(reports, file), undefined);
}

if (differing.length > 0) {
  console.error(`The public surface is not what is committed: ${differing.join(', ')}`);
  console.error('Run `npm run api`, read the difference, and commit it with a changeset if it is meant.');
  process.exitCode = 1;
}

/** @param {string | undefined} now `undefined` when the entry is gone */
function compare(file, now) {
  const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  if (before === now) return;
  if (!update) differing.push(relative(root, file));
  else if (now === undefined) rmSync(file);
  else writeFileSync(file, now);
}

/** @returns {string} the report of one entry, as API Extractor writes it */
function report(folder, { name, types }) {
  if (!existsSync(types)) throw new Error(`${relative(root, types)} is missing: build first (npm run build)`);
  const quiet = { default: { logLevel: 'none' } };
  const config = ExtractorConfig.prepare({
    packageJsonFullPath: join(folder, 'package.json'),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: types,
      compiler: {
        overrideTsconfig: {
          extends: join(root, 'tsconfig.base.json'),
          // Against the built packages, as those who install them see them.
          compilerOptions: { types: ['node'], customConditions: [] },
          files: [types],
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: `${name}.api.md`,
        reportFolder: temporary,
        reportTempFolder: join(temporary, 'new'),
        // A type that an exported one mentions is part of the surface, exported or not.
        includeForgottenExports: true,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
      messages: {
        compilerMessageReporting: { default: { logLevel: 'error' } },
        extractorMessageReporting: quiet,
        tsdocMessageReporting: quiet,
      },
    },
  });
  const problems = [];
  Extractor.invoke(config, {
    localBuild: true,
    messageCallback: (message) => {
      if (message.logLevel === 'error') problems.push(message.formatMessageWithLocation(root));
      message.handled = true;
    },
  });
  if (problems.length > 0) throw new Error(`${name}: ${problems.join('\n')}`);
  return readFileSync(join(temporary, `${name}.api.md`), 'utf8');
}
