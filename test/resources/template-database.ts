import { randomBytes } from 'node:crypto';
import { asAdmin } from './admin.js';

export interface TemplateDatabase extends AsyncDisposable {
  readonly name: string;
}

/**
 * Makes the database that each fresh one is a copy of. Copying takes about 40 ms, however long its migrations take.
 */
export async function createTemplate(serverUrl: string): Promise<TemplateDatabase> {
  // Named for this run: on somebody's own server another run may be under way.
  const name = `once_template_${randomBytes(6).toString('hex')}`;
  await asAdmin(serverUrl, (admin) => admin.query(`create database ${name}`));
  // A template that someone is connected to cannot be copied.
  await asAdmin(serverUrl, (admin) => admin.query(`alter database ${name} allow_connections false`));
  return {
    name,
    [Symbol.asyncDispose]: () =>
      asAdmin(serverUrl, async (admin) => void (await admin.query(`drop database ${name} with (force)`))),
  };
}
