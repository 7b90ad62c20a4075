import { StateBackend, type FileData } from 'deepagents'

/** Files in the form of deepagents, by path. */
export type FileRecord = Readonly<Record<string, FileData>>

/**
 * The file system of deepagents itself over some files, which it does not change: it says what an operation would do.
 *
 * So patterns, messages and the rule for a path that exists are those of the version in use.
 */
export function rulesOver(files: FileRecord): StateBackend {
  return new StateBackend({ state: { files } })
}

/** Refuse a version of deepagents whose file system would look for its files elsewhere, and silently find none. */
export function assertRules(): void {
  if (writtenTo('/a', 'a', {}).data === undefined)
    throw new TypeError(
      'This version of deepagents works differently inside. Update @spillway/langchain, or install deepagents 1.14.',
    )
}

/** What deepagents makes of a text that is written to a path, or why it refuses. */
export function writtenTo(
  path: string,
  content: string,
  files: FileRecord,
): { readonly data?: FileData | undefined; readonly error?: string } {
  try {
    const { error, filesUpdate } = rulesOver(files).write(path, content)
    return error === undefined ? { data: filesUpdate?.[path] } : { error }
  } catch (error) {
    if ((error as Error).name !== 'InvalidCharacterError') throw error
    return { error: `Cannot write to ${path}: files of this type take their content as Base64, and this is not.` }
  }
}

/** The type that deepagents gives to files of this name. */
export function mimeTypeFor(path: string): string {
  const { data } = writtenTo(path, '', {})
  return data !== undefined && 'mimeType' in data ? data.mimeType : 'text/plain'
}
