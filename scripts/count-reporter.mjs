import { writeFileSync } from 'node:fs';

/**
 * A vitest reporter that counts, for whoever started vitest: into the file that `TEST_COUNTS_FILE` names. What fails a
 * run without being a test counts as one failure each: a file that could not be read, an error outside every test.
 *
 * @implements {import('vitest/node').Reporter}
 */
export default class CountReporter {
  onTestRunEnd(testModules, unhandledErrors) {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of testModules) {
      for (const test of module.children.allTests()) counts[test.result().state] += 1;
      if (module.errors().length > 0) counts.failed += 1;
    }
    writeFileSync(process.env.TEST_COUNTS_FILE, JSON.stringify(counts));
  }
}
