/** The parts of Dredd 14 that the suite uses; the package ships no types. */
declare module 'dredd' {
  export interface DreddTransaction {
    origin: { apiName: string; actionName: string };
    protocol: string;
    host: string;
    port: string;
    fullPath: string;
    request: { method: string; headers: Record<string, string>; body: string };
    expected: { statusCode: string; headers: Record<string, string> };
  }

  export interface DreddDescription {
    annotations: { type: 'warning' | 'error'; message: string }[];
    transactions: {
      origin: { actionName: string };
      request: { method: string; uri: string };
      response: { status: string; headers: { name: string; value: string }[]; body?: string };
    }[];
  }

  type Hook = (transaction: DreddTransaction, done: () => void) => void;

  interface Hooks {
    beforeEach(hook: Hook): void;
  }

  type Callback = (error?: Error | null) => void;

  export default class Dredd {
    constructor(configuration: object);
    transactionRunner: {
      executeAllTransactions(
        transactions: DreddTransaction[],
        hooks: Hooks,
        callback: Callback,
      ): void;
    };
    prepareAPIdescriptions(
      callback: (error: Error | null, descriptions?: DreddDescription[]) => void,
    ): void;
    run(callback: Callback): void;
  }
}
