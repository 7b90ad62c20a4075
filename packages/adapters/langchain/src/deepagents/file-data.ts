import { contentTypeEssence, isTextContentType } from '@spillway/core/adapter'
import type { FileContent, StoredFile } from '@spillway/core/files'
import type { FileData, FileInfo } from 'deepagents'
import type { FileRecord } from './deepagents-rules.ts'

/** The text types that the tools of deepagents know as text. */
const KNOWN_TEXT = /^(?:text\/.+|application\/(?:json|javascript)|image\/svg\+xml)$/

/** A file in the form of deepagents, its content left out. */
export type Outline = Extract<FileData, { mimeType: string }>

/** Describe a file without its content. */
export function outlineOf({ contentType, createdAt, modifiedAt }: StoredFile): Outline {
  const essence = contentTypeEssence(contentType)
  const mimeType = isTextContentType(essence) && !isText(essence) ? 'text/plain' : essence
  return { content: '', mimeType, created_at: timeOf(createdAt), modified_at: timeOf(modifiedAt) }
}

/** Describe all files, as far as names, types and times go. */
export function outlines(files: ReadonlyMap<string, StoredFile>): FileRecord {
  return Object.fromEntries([...files].map(([path, file]) => [path, outlineOf(file)]))
}

/** Put the sizes back that outlines do not have. */
export function sized(infos: readonly FileInfo[] | undefined, files: ReadonlyMap<string, StoredFile>): FileInfo[] {
  return (infos ?? []).map((info) => ({ ...info, size: files.get(info.path)?.size ?? 0 }))
}

/** Whether the tools of deepagents show content of this type as text. */
export function isText(mimeType: string): boolean {
  return KNOWN_TEXT.test(mimeType)
}

/** The bytes of what deepagents would write, and their type. */
export function contentOf(data: FileData): FileContent {
  const content = Array.isArray(data.content) ? data.content.join('\n') : data.content
  const mimeType = 'mimeType' in data ? data.mimeType : 'text/plain'
  if (typeof content !== 'string') return { content, contentType: mimeType }
  return { content: new TextEncoder().encode(content), contentType: isText(mimeType) ? mimeType : 'text/plain' }
}

const timeOf = (milliseconds: number): string => new Date(milliseconds).toISOString()
