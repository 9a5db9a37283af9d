import measured from './costs.json' with { type: 'json' };

/** What one check sends. */
export interface Cost {
  requests: number;
  /** Heads and bodies, as HTTP/1.1 writes them. */
  bytes: number;
}

const costs: Readonly<Record<string, Cost>> = measured.costs;

/** What the check with this id sent to the reference server; `undefined` where it was not measured. */
export function findCost(id: string): Cost | undefined {
  return costs[id];
}
