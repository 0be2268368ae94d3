import { writeFileSync } from 'node:fs';

/**
 * A vitest reporter that counts, for whoever started vitest: into the file that `TEST_COUNTS_FILE` names. What fails a
 * run without being a test counts as one failure: each file that could not be read, and all errors outside tests
 * together, since one cut connection can raise hundreds.
 *
 * @implements {import('vitest/node').Reporter}
 */
export default class CountReporter {
  onTestRunEnd(testModules, unhandledErrors) {
    const counts = { passed: 0, failed: Math.min(unhandledErrors.length, 1), skipped: 0 };
    for (const module of testModules) {
      for (const test of module.children.allTests()) counts[test.result().state] += 1;
      if (module.errors().length > 0) counts.failed += 1;
    }
    writeFileSync(process.env.TEST_COUNTS_FILE, JSON.stringify(counts));
  }
}
