import { availableParallelism, cpus, platform, release, totalmem } from 'node:os';

/** The machine in one line: `AMD EPYC, 2 cores, 8 GB, linux 6.18, Node 24.21.0`. */
export function describeMachine(): string {
  return [
    cpus()[0]?.model.trim() || 'unknown processor',
    `${availableParallelism()} cores`,
    `${Math.round(totalmem() / 1e9)} GB`,
    `${platform()} ${release().split('.').slice(0, 2).join('.')}`,
    `Node ${process.versions.node}`,
  ].join(', ');
}
