import type { Page } from './pages.ts'
import { readSource, sectionOf, SOURCE_PAGES, splitFences, type WrittenPage } from './read-source.ts'

/** Compose the quickstarts from the README of each package and what all of them share. */
export function quickstartPages(): WrittenPage[] {
  const shared = readSource('docs/quickstart.md')
  return SOURCE_PAGES.flatMap((page) => (page.sections === undefined ? [] : [composePage(page, page.sections, shared)]))
}

function composePage({ path, title, source }: Page, sections: readonly string[], shared: string): WrittenPage {
  const readme = readSource(source)
  const own = sections.map((section) => nameFiles(sectionOf(readme, section)))
  const isModule = own.some((section) => section.includes('Save as `example.ts`'))
  const ofAll = (names: readonly string[]): string[] => names.map((name) => sectionOf(shared, name))
  const parts = [
    `# Quickstart: ${title}`,
    'From an empty folder to an offloaded result, in under five minutes and without a key.',
    ...ofAll(['Prepare a folder']),
    ...own,
    ...(isModule ? ofAll(['Run it', 'TypeScript']) : []),
    ...ofAll(['Next']),
  ]
  return { path, title, markdown: `${parts.join('\n\n')}\n` }
}

/** Write above each block of code the file that it is saved as. The first block that runs is `example.ts`. */
function nameFiles(section: string): string {
  let example: string | undefined = 'example.ts'
  return splitFences(section)
    .map((part) => {
      const [, flags] = /^```ts(.*)\n/.exec(part) ?? []
      if (flags === undefined || flags.includes('no-run')) return part
      let name = /file=(\S+)/.exec(flags)?.[1]
      if (name === undefined) [name, example] = [example, undefined]
      return name === undefined ? part : `Save as \`${name}\`:\n\n${part}`
    })
    .join('')
}
