/** The parts of Dredd 14 that are used here. The package has no types. */
declare module 'dredd' {
  export interface DreddTransaction {
    origin: { resourceName: string; actionName: string; exampleName: string };
    fullPath: string;
    request: { headers: Record<string, string> };
    expected: { statusCode: string; headers: Record<string, string>; body?: string };
    test?: { status: 'pass' | 'fail' | 'skip' };
    skip: boolean;
  }

  type Hook = (transaction: DreddTransaction, done: () => void) => void;

  export default class Dredd {
    constructor(configuration: object);
    transactionRunner: {
      executeAllTransactions(
        transactions: DreddTransaction[],
        hooks: { beforeEach(hook: Hook): void; afterEach(hook: Hook): void },
        callback: (error?: Error | null) => void,
      ): void;
    };
    run(callback: (error?: Error | null) => void): void;
  }
}
