import { useEffect, useState } from 'react';
import { EXAMPLE_URL } from '../choices.ts';

interface ProgramProps {
  /** Name of a program of the docs. */
  readonly name: string;
  /** Path of the playground, with a slash at the end. */
  readonly folder: string;
  /** URL of the API; empty until the worker has started. */
  readonly baseUrl: string;
}

/** A program of the docs, to edit and run with the client. */
export function Program({ name, folder, baseUrl }: ProgramProps) {
  const [code, setCode] = useState('');
  const [output, setOutput] = useState('');
  useEffect(() => {
    fetch(`${folder}programs.json`)
      .then((response) => response.json())
      .then((programs) => setCode(programs[name] ?? `// There is no program ${name}.`));
  }, [name, folder]);

  async function run() {
    setOutput('');
    const print = (...values: unknown[]) =>
      setOutput((before) => `${before}${values.map(toText).join(' ')}\n`);
    try {
      await runModule(
        code.replaceAll(EXAMPLE_URL, baseUrl),
        `${location.origin}${folder}client.js`,
        print,
      );
      print('Done.');
    } catch (error) {
      print(error);
    }
  }

  return (
    <div className="berth-playground">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <label htmlFor="berth-program">Program</label>
        <textarea
          id="berth-program"
          rows={code.split('\n').length + 1}
          spellCheck={false}
          value={code}
          onChange={({ target }) => setCode(target.value)}
        />
        <small>Calls to {EXAMPLE_URL} go to the worker of this page.</small>
        <p className="berth-playground__actions">
          <button type="submit" disabled={!baseUrl || !code}>
            Run
          </button>
          <a href={folder}>All operations</a>
        </p>
      </form>
      <section aria-label="Output">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the keyboard */}
        <pre role="log" tabIndex={0}>
          {output}
        </pre>
      </section>
    </div>
  );
}

/** Runs a module whose `console` prints to the page. Programs never come from an address, only from the site. */
async function runModule(code: string, client: string, print: (...values: unknown[]) => void) {
  const key = `berth${crypto.randomUUID()}`;
  Object.assign(globalThis, { [key]: { log: print, warn: print, error: print } });
  const source = `const console = globalThis['${key}'];\n${code.replace("'@berth/client'", `'${client}'`)}`;
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  try {
    await import(/* webpackIgnore: true */ url);
  } finally {
    URL.revokeObjectURL(url);
    Reflect.deleteProperty(globalThis, key);
  }
}

function toText(value: unknown): string {
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value);
}
