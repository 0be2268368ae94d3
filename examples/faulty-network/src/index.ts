export { type Fault, faultNames, faults, isFault } from './faults.js';
export { type FaultyProxy, type FaultyProxyOptions, faultyProxy } from './http/faulty-proxy.js';
export type { ProxyCounts } from './http/proxy-counts.js';
export type { ProxyEvent } from './http/proxy-event.js';
export type { Decision, Schedule } from './schedule/decision.js';
export { type ScheduleOptions, schedule, script } from './schedule/schedule.js';
export { defaultWeights, type Weights } from './schedule/weights.js';
export { type TcpCounts, type TcpProxy, type TcpUpstream, tcpProxy } from './tcp/tcp-proxy.js';
export type { Direction } from './tcp/trip-wire.js';
