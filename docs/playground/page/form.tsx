import { type FormEventHandler, useId, useState } from 'react';
import { type Field, OPERATIONS, type Operation } from './operations.ts';
import { type Draft, toCurl, toTypeScript } from './request.ts';

const SURFACES = { gateway: 'Gateway, v1', storage: 'Storage, v2', upload: 'Upload target' };
const LANGUAGES = { TypeScript: toTypeScript, curl: toCurl };

interface FormProps {
  readonly operation: Operation;
  readonly draft: Draft;
  readonly isReady: boolean;
  readonly choose: (id: string) => void;
  readonly edit: (change: Partial<Draft>) => void;
  readonly submit: FormEventHandler;
  /** Stops the call that is running, if there is one. */
  readonly stop: (() => void) | undefined;
}

/** The request: an operation and its values. */
export function Form(props: FormProps) {
  const { operation, draft, isReady, choose, edit, submit, stop } = props;
  const { values, body, file } = draft;
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
          <p>
            <a href="#getUploadMetaData">getUploadMetaData</a> fills in this form.
          </p>
          <label htmlFor={`${id}-file`}>File to send instead of the text {file?.name}</label>
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

function Value({ field, value, edit }: ValueProps) {
  const id = useId();
  const { name, description, choices, isOpen } = field;
  const [hint = ''] = description.replaceAll('`', '').split(/(?<=\.)\s/);
  const own = { id, value, 'aria-describedby': `${id}-hint` };
  const options = Object.entries(choices ?? {}).map(([choice, title]) => (
    <option key={choice} value={choice}>
      {title}
    </option>
  ));
  return (
    <>
      <label htmlFor={id}>{name}</label>
      {choices && !isOpen ? (
        <select {...own} onChange={({ target }) => edit(target.value)}>
          {options}
        </select>
      ) : (
        <input
          {...own}
          list={`${id}-choices`}
          spellCheck={false}
          autoComplete="off"
          onChange={({ target }) => edit(target.value)}
        />
      )}
      <small id={`${id}-hint`}>{hint}</small>
      {isOpen && <datalist id={`${id}-choices`}>{options}</datalist>}
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
