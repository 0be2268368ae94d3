/** What befell the drill besides the faults of the network. Counts what happened, not what was planned. */
export interface Damage {
  serversKilled: number;
  clientsKilled: number;
  /** Operations that a client process found in its outbox when it came back. */
  resumed: number;
  /** Open connections that were reset: to the shop's server, to Postgres, to Redis. */
  connectionsCut: number;
  /** Commits whose acknowledgement was withheld. */
  commitsUnanswered: number;
  /** Times that Redis could not be reached. */
  redisAway: number;
}

export function noDamage(): Damage {
  return {
    serversKilled: 0,
    clientsKilled: 0,
    resumed: 0,
    connectionsCut: 0,
    commitsUnanswered: 0,
    redisAway: 0,
  };
}
