import type { ArtifactVersion, SaveArtifactRequest } from '@google/adk'
import type { StoredInfo } from '@spillway/core'
import { encodeBase64, mediaFromData } from '@spillway/core/adapter'

type Artifact = SaveArtifactRequest['artifact']

/** What is stored of an artifact. */
interface ArtifactContent {
  readonly content: Uint8Array
  readonly contentType: string
  readonly metadata: Readonly<Record<string, string>>
}

/** Write the bytes, the text or the address of an artifact as content, and all else of it as metadata. */
export function writeArtifact({ inlineData, fileData, text }: Artifact, custom: unknown): ArtifactContent {
  const { mimeType, displayName } = inlineData ?? fileData ?? {}
  const described = {
    'artifact-type': mimeType,
    'artifact-name': displayName,
    'artifact-custom': JSON.stringify(custom),
  }
  const metadata = defined(described) as Record<string, string>
  if (inlineData !== undefined) {
    const media = mediaFromData(mimeType ?? 'application/octet-stream', inlineData.data ?? '')
    if (media?.data === undefined) throw new TypeError('artifact.inlineData.data must be Base64.')
    return { content: media.data, contentType: media.mediaType, metadata }
  }
  const form = text === undefined ? 'uri' : 'text'
  const value = text ?? fileData?.fileUri
  if (typeof value !== 'string')
    throw new TypeError('artifact must have inlineData, a text, or fileData with its fileUri.')
  const content = new TextEncoder().encode(value)
  return { content, contentType: 'text/plain', metadata: { ...metadata, 'artifact-form': form } }
}

/** Make the artifact of what was stored. */
export function readArtifact(content: Uint8Array, { metadata, contentType }: StoredInfo): Artifact {
  const { 'artifact-form': form, 'artifact-type': mimeType, 'artifact-name': displayName } = metadata
  if (form === undefined)
    return {
      inlineData: { data: encodeBase64(content), mimeType: mimeType ?? contentType, ...defined({ displayName }) },
    }
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(content)
  return form === 'text' ? { text } : { fileData: { fileUri: text, ...defined({ mimeType, displayName }) } }
}

/** Say what is known of a version without reading it. */
export function describeArtifact(version: number, { metadata, contentType }: StoredInfo): ArtifactVersion {
  const { 'artifact-form': form, 'artifact-type': mimeType = form === 'uri' ? undefined : contentType } = metadata
  const custom = metadata['artifact-custom']
  const customMetadata = custom === undefined ? undefined : (JSON.parse(custom) as Record<string, unknown>)
  return { version, ...defined({ mimeType, customMetadata }) }
}

function defined<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}
