import { CannotBeginError } from './cannot-begin-error.js';

/** Runs a program; where it cannot begin as asked, it says why instead of where in the code. */
export async function begin(program: () => Promise<void>): Promise<void> {
  try {
    await program();
  } catch (error) {
    if (!(error instanceof CannotBeginError)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
}
