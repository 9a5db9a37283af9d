import { DocContent, HomeLayout as OriginalHomeLayout } from '@rspress/core/theme-original';

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
