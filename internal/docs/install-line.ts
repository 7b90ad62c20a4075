import type { Fence } from './extract-fences.ts'

/** A package manager that READMEs name. */
export type PackageManager = 'npm' | 'pnpm'

/** A fence with commands that install packages in an empty folder. */
export interface InstallLine {
  readonly fence: Fence
  /** The names of the packages, in the order of the command. */
  readonly packages: readonly string[]
  /** The packages as written in the command, some with a version. */
  readonly words: readonly string[]
  /** Return the commands of the fence for a package manager. They also install the packages in `also`. */
  commands(manager: PackageManager, also?: readonly string[]): string
}

/**
 * Find the install line of an example: the last `npm install` above it in its section or an enclosing section,
 * otherwise the first one of the document.
 *
 * A comment after the command has the arguments for pnpm: `npm install a b # or: pnpm add --ignore-scripts`.
 */
export function installLineOf(example: Fence, fences: readonly Fence[]): InstallLine | undefined {
  const above = installLines(fences).filter(({ fence }) => fence.line < example.line)
  const isAround = ({ sections }: Fence): boolean => sections.every((line, depth) => line === example.sections[depth])
  return above.findLast(({ fence }) => isAround(fence)) ?? above[0]
}

/** List the install lines of a document. */
export function installLines(fences: readonly Fence[]): InstallLine[] {
  return fences.flatMap((fence) => {
    const [line, words, comment = ''] = /^npm install ([^#\n]+)(?:#(.*))?$/m.exec(fence.code) ?? []
    if (fence.language !== 'sh' || line === undefined || words === undefined) return []
    const wanted = words.split(/\s+/).filter((word) => /^[@a-z]/.test(word))
    const packages = wanted.map((word) => word.replace(/(?<=.)@.*/, ''))
    const add = /or: (pnpm add[^#]*)/.exec(comment)?.[1]?.trim() ?? 'pnpm add'
    const commands = (manager: PackageManager, also: readonly string[] = []): string =>
      manager === 'npm'
        ? fence.code.replace(line, [`npm install ${words.trim()}`, ...also].join(' '))
        : fence.code.replace(line, [add, ...wanted, ...also].join(' ')).replaceAll(/^npm /gm, 'pnpm ')
    return [{ fence, packages, words: wanted, commands }]
  })
}
