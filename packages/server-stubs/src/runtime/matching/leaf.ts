import type { Plan } from '../plan.ts';

/** The methods of one path. */
export class Leaf {
  readonly #plans = new Map<string, Plan>();

  add(method: string, plan: Plan): void {
    if (this.#plans.has(method)) {
      throw new TypeError(`${method} ${plan.route.path} is in the route table more than once.`);
    }
    this.#plans.set(method, plan);
  }

  /** HEAD is GET without the body (RFC 9110, section 9.3.2). */
  find(method: string): Plan | undefined {
    return this.#plans.get(method) ?? (method === 'HEAD' ? this.#plans.get('GET') : undefined);
  }

  /** Value of the header `Allow`. */
  get allow(): string {
    const methods = [...this.#plans.keys()];
    if (methods.includes('GET') && !methods.includes('HEAD')) methods.push('HEAD');
    return methods.join(', ');
  }
}
