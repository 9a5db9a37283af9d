import { type FormEventHandler, useId, useState } from 'react';
import { FAULTS } from '../choices.ts';
import { type Field, OPERATIONS, type Operation } from './operations.ts';
import { type Draft, toCurl, toTypeScript } from './request.ts';

const SURFACES = { gateway: 'Gateway, v1', storage: 'Storage, v2', upload: 'Upload target' };
const LANGUAGES = { TypeScript: toTypeScript, curl: toCurl };

interface FormProps {
  readonly operation: Operation;
  readonly draft: Draft;
  /** Name of the fault, or empty. */
  readonly fault: string;
  readonly isReady: boolean;
  readonly choose: (id: string) => void;
  readonly edit: (change: Partial<Draft>) => void;
  readonly setFault: (name: string) => void;
  readonly submit: FormEventHandler;
  /** Stops the call that is running, if there is one. */
  readonly stop: (() => void) | undefined;
}

/** The request: an operation and its values. */
export function Form(props: FormProps) {
  const { operation, draft, fault, isReady, choose, edit, setFault, submit, stop } = props;
  const { values, body } = draft;
  const id = useId();
  return (
    <form onSubmit={submit}>
      <label htmlFor={`${id}-operation`}>Operation</label>
      <select
        id={`${id}-operation`}
        value={operation.id}
        onChange={({ target }) => choose(target.value)}
      >
        {Object.entries(SURFACES).map(([surface, title]) => (
          <optgroup key={surface} label={title}>
            {OPERATIONS.filter((one) => one.surface === surface).map((one) => (
              <option key={one.id} value={one.id}>
                {one.id}: {one.summary}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      <p className="berth-playground__path">
        <code>
          {operation.method} {operation.path}
        </code>
      </p>
      {operation.fields.map((field) => (
        <Value
          key={`${operation.id} ${field.name}`}
          field={field}
          value={values[field.name] ?? ''}
          edit={(value) => edit({ values: { ...values, [field.name]: value } })}
        />
      ))}
      {operation.surface === 'upload' && (
        <>
          <label htmlFor={`${id}-file`}>File to send instead of the text</label>
          <input
            id={`${id}-file`}
            type="file"
            onChange={({ target }) => edit({ file: target.files?.[0] })}
          />
        </>
      )}
      {operation.body !== undefined && (
        <>
          <label htmlFor={`${id}-body`}>Body</label>
          <textarea
            id={`${id}-body`}
            rows={Math.min(12, body.split('\n').length + 1)}
            spellCheck={false}
            value={body}
            onChange={({ target }) => edit({ body: target.value })}
          />
        </>
      )}
      <label htmlFor={`${id}-fault`}>Fault</label>
      <select id={`${id}-fault`} value={fault} onChange={({ target }) => setFault(target.value)}>
        <option value="">None</option>
        {Object.entries(FAULTS).map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
      <p className="berth-playground__actions">
        <button type="submit" disabled={!isReady}>
          Run
        </button>
        {stop && (
          <button type="button" onClick={stop}>
            Stop
          </button>
        )}
      </p>
    </form>
  );
}

interface ValueProps {
  readonly field: Field;
  readonly value: string;
  readonly edit: (value: string) => void;
}

function Value({ field: { name, description, choices = [] }, value, edit }: ValueProps) {
  const id = useId();
  const [hint = ''] = description.replaceAll('`', '').split(/(?<=\.)\s/);
  return (
    <>
      <label htmlFor={id}>{name}</label>
      <input
        id={id}
        value={value}
        spellCheck={false}
        autoComplete="off"
        aria-describedby={`${id}-hint`}
        list={choices.length > 0 ? `${id}-choices` : undefined}
        onChange={({ target }) => edit(target.value)}
      />
      <small id={`${id}-hint`}>{hint}</small>
      <datalist id={`${id}-choices`}>
        {choices.map((choice) => (
          <option key={choice} value={choice} />
        ))}
      </datalist>
    </>
  );
}

/** The request as a program. */
export function Code({ operation, draft }: Pick<FormProps, 'operation' | 'draft'>) {
  const [language, setLanguage] = useState<keyof typeof LANGUAGES>('TypeScript');
  const code = LANGUAGES[language](operation, draft);
  return (
    <section className="berth-playground__code" aria-label="The same call as code">
      <p className="berth-playground__actions">
        {(Object.keys(LANGUAGES) as (keyof typeof LANGUAGES)[]).map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === language}
            onClick={() => setLanguage(name)}
          >
            {name}
          </button>
        ))}
        <button type="button" onClick={() => navigator.clipboard.writeText(code)}>
          Copy
        </button>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the keyboard */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
    </section>
  );
}
