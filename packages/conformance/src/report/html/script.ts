/**
 * The only code of the page: it filters by text, opens what a link leads to, and opens all before
 * printing. Without it everything is still there.
 */
export const script = `
const search = document.querySelector('#search');
const all = [...document.querySelectorAll('main details')];
search.parentElement.hidden = false;
search.addEventListener('input', () => {
  const words = search.value.toLowerCase().split(/\\s+/);
  for (const each of all) {
    const text = each.querySelector('summary').textContent.toLowerCase();
    each.hidden = !words.every((word) => text.includes(word));
  }
});
const follow = () => {
  const found = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (found instanceof HTMLDetailsElement) {
    found.hidden = false;
    found.open = true;
    const outcome = document.getElementById(found.className.replace('is-', 'show-'));
    if (outcome) outcome.checked = true;
    found.scrollIntoView();
  }
};
addEventListener('hashchange', follow);
follow();
let closed = [];
addEventListener('beforeprint', () => {
  closed = all.filter((each) => !each.open && each.classList.contains('is-fail'));
  for (const each of closed) each.open = true;
});
addEventListener('afterprint', () => { for (const each of closed) each.open = false; });
`;
