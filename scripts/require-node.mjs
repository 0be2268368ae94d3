/** The oldest Node this runs on: `require()` of ES modules and `import.meta.dirname` came with it. */
const OLDEST = [20, 19];

/**
 * Ends the process with a message when this Node is too old. Called before anything else is imported, so this file and
 * those that call it use nothing that an old Node could not even read.
 */
export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  console.error(
    `This needs Node.js ${OLDEST.join('.')} or newer, and this is ${process.version}. Install a newer one (nodejs.org, nvm, fnm) and run the same command again.`,
  );
  process.exit(1);
}
