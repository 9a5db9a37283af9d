/** The look of the page: light and dark, on paper, and on narrow screens. */
export const style = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#fff, #14171c);
  --raised: light-dark(#f5f6f8, #1d2128);
  --line: light-dark(#d5dae1, #39414d);
  --ink: light-dark(#1c2128, #e4e8ee);
  --quiet: light-dark(#57606d, #a3adba);
  --accent: light-dark(#0b5cad, #6db3ff);
  --pass: light-dark(#1a6e3c, #5fce8b);
  --fail: light-dark(#b3261e, #ff8a80);
  --error: light-dark(#8e24aa, #e1a0f0);
  --skip: light-dark(#8a5a00, #f0b850);
  --disabled: light-dark(#5b6572, #98a3b1);
  font: 15px / 1.5 system-ui, sans-serif;
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 75rem; padding: 1rem; background: var(--ground); color: var(--ink); }
h1 { margin: 0; font-size: 1.6rem; line-height: 1.2; }
h2 { margin: 2rem 0 .5rem; font-size: 1.15rem; }
h2, details { scroll-margin-top: 4rem; }
p, th { overflow-wrap: anywhere; }
h3 { margin: 1rem 0 .25rem; font-size: 1rem; }
p { margin: .25rem 0; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
header { border-left: .4rem solid var(--verdict); padding: .25rem 0 .25rem 1rem; }
header h1 { color: var(--verdict); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 1rem 0; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
code, pre, .id { font: .87em / 1.45 ui-monospace, monospace; }
pre { margin: .25rem 0 .75rem; padding: .6rem; background: var(--raised); border: 1px solid var(--line);
  border-radius: 4px; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 24rem; overflow-y: auto; }
.filters { display: flex; flex-wrap: wrap; gap: .4rem 1rem; align-items: center; position: sticky; top: 0; z-index: 1;
  margin: 1.5rem 0 0; padding: .6rem 0; border: 0; border-bottom: 1px solid var(--line); background: var(--ground); }
.filters legend { position: absolute; clip-path: inset(50%); height: 1px; overflow: hidden; }
.filters label { display: flex; gap: .35rem; align-items: center; min-height: 1.75rem; }
.filters input[type=search] { font: inherit; padding: .2rem .5rem; width: min(16rem, 60vw); color: inherit;
  background: var(--raised); border: 1px solid var(--line); border-radius: 4px; }
.outcome { display: inline-block; min-width: 4.6rem; font-weight: 600; }
.pass { color: var(--pass); } .fail { color: var(--fail); } .error { color: var(--error); }
.skip { color: var(--skip); } .disabled, .info { color: var(--disabled); }
details { border-bottom: 1px solid var(--line); }
summary { display: grid; grid-template-columns: 4.6rem 15rem 4.5rem minmax(0, 1fr); gap: 0 .75rem; align-items: baseline;
  padding: .35rem .25rem; cursor: pointer; overflow-wrap: anywhere; }
summary:hover { background: var(--raised); }
summary .id { font-weight: 600; }
summary .level { color: var(--quiet); font-size: .85em; }
details[open] > summary { background: var(--raised); }
details > div { padding: .5rem .25rem 1rem 1rem; }
.finding { border-left: 3px solid var(--fail); padding-left: .8rem; margin: .8rem 0; }
.finding > p:first-child { font-weight: 600; }
.quiet { color: var(--quiet); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .75rem .3rem .25rem; border-bottom: 1px solid var(--line); }
td.rules { min-width: 14rem; } td.rules span { display: inline-block; margin-right: .9rem; }
${['pass', 'fail', 'skip', 'disabled', 'error']
  .map(
    (outcome) =>
      `body:has(#show-${outcome}:not(:checked)) details.is-${outcome} { display: none; }`,
  )
  .join('\n')}
@media (max-width: 45rem) {
  summary { grid-template-columns: 4.6rem minmax(0, 1fr) auto; }
  h2, details { scroll-margin-top: 0; }
  summary .statement { grid-column: 1 / -1; }
  dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .4rem; }
  .filters { position: static; }
}
@media print {
  :root { color-scheme: light; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  .filters { display: none; }
  pre { max-height: none; }
  summary, tr { break-inside: avoid; }
}
`;
