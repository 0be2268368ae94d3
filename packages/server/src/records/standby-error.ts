/**
 * The connection leads to a standby: a multi-host address after a failover, or a pool for reading. What it has not, the
 * primary may have. Reads as a fault of the connection, which is closed, so that the next one may lead elsewhere.
 */
export class StandbyError extends Error {
  override readonly name = 'StandbyError';
  /** cannot_connect_now */
  readonly code = '57P03';

  constructor() {
    super(
      'this connection leads to a standby, where a record that is missing proves nothing: give records a pool on the primary (target_session_attrs=read-write)',
    );
  }
}
