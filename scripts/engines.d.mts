// Types of `engines.mjs` for the tests of packages.

export type EngineId = 'chromium' | 'ceph' | 'redis' | 'python' | 'go' | 'curl';

interface Engine {
  readonly title: string;
  readonly programs: readonly (readonly string[])[];
}

export const ENGINES: Readonly<Record<EngineId, Engine>>;

export function findProgram(names: readonly string[]): string | undefined;
export function skipReason(id: EngineId): string | undefined;
