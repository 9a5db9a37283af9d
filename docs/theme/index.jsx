import { NoSSR, usePage } from '@rspress/core/runtime';
import {
  DocContent,
  HomeLayout as OriginalHomeLayout,
  Layout as OriginalLayout,
} from '@rspress/core/theme-original';
import { lazy, Suspense } from 'react';

export * from '@rspress/core/theme-original';

/** The landing page of Rspress, with the Markdown of the page between its parts. */
export function HomeLayout(props) {
  const content = (
    <div className="rp-doc berth-home">
      <DocContent />
    </div>
  );
  return (
    <main>
      <OriginalHomeLayout {...props} afterHero={content} />
    </main>
  );
}

/** Only the page of the playground loads it. */
const Playground = lazy(() => import('../playground/page/index.tsx'));

/** The layout of Rspress, with the playground on its page. */
export function Layout(props) {
  const { page } = usePage();
  const playground = (
    <div className="berth-playground-place">
      <NoSSR>
        <Suspense>
          <Playground />
        </Suspense>
      </NoSSR>
    </div>
  );
  return (
    <OriginalLayout
      {...props}
      afterDocContent={page.routePath === '/playground/' ? playground : undefined}
    />
  );
}
