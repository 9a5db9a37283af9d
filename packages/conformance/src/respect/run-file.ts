/** A step or a workflow that Respect has run, as far as the suite reads it. */
export interface Executed {
  type?: string;
  stepId?: string;
  executedSteps?: Executed[];
  checks?: {
    name: string;
    passed: boolean;
    severity: string;
    message?: string;
    condition?: string;
  }[];
}

export interface RunFileOptions {
  /** Arazzo document. */
  path: string;
  /** The one workflow of it to run. */
  workflow: string;
  servers: Record<string, string>;
  inputs: Record<string, string>;
  fetch: typeof fetch;
  /** Milliseconds. */
  timeout: number;
  /** The content of a file that a workflow uploads. */
  readBody: (name: string) => Promise<Blob>;
}

const silent = () => {};
/** Respect writes its progress to the terminal, where the suite has its own. */
const SILENT = {
  ...{ info: silent, warn: silent, error: silent, output: silent },
  ...{ printNewLine: silent, printSeparator: silent, indent: (text: string) => text },
};

/** Runs one workflow with Redocly Respect, which is loaded here because it takes its time. */
export async function runFile(options: RunFileOptions): Promise<Executed[]> {
  const [{ run }, { createConfig }] = await Promise.all([
    import('@redocly/respect-core'),
    import('@redocly/openapi-core'),
  ]);
  const results = await run({
    files: [options.path],
    workflow: [options.workflow],
    server: Object.entries(options.servers).map(([name, url]) => `${name}=${url}`),
    input: JSON.stringify(options.inputs),
    config: await createConfig({}),
    maxSteps: 200,
    maxFetchTimeout: options.timeout,
    requestFileLoader: { getFileBody: options.readBody },
    logger: SILENT,
    fetch: options.fetch,
    skipLint: true,
    noSecretsMasking: true,
  });
  return results.flatMap(({ executedWorkflows }) => executedWorkflows as unknown as Executed[]);
}

export interface ExecutedStep {
  stepId: string;
  checks: NonNullable<Executed['checks']>;
}

/** The steps of workflows, those of the workflows that they call among them. */
export function listSteps(executed: readonly Executed[]): ExecutedStep[] {
  return executed.flatMap(({ stepId = '', executedSteps, checks }) =>
    executedSteps ? listSteps(executedSteps) : [{ stepId, checks: checks ?? [] }],
  );
}
