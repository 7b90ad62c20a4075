import type { ContentBlock } from '@spillway/core'
import { encodeBase64, mediaFromData, mediaFromUrl, textBlock, parseJsonText } from '@spillway/core/adapter'
import type { PostToolUseInput } from './post-tool-use.ts'

export interface OutputPart {
  readonly value: unknown
  readonly block: ContentBlock
}

export interface ToolOutput {
  readonly parts: readonly OutputPart[]
  /** Writes the output with a text and the other parts. Claude Code accepts only fields of the tool's own output. */
  readonly write: (text: string, rest: readonly OutputPart[]) => unknown
}

type Fields = Readonly<Record<string, unknown>>
type ReadOutput = (output: Fields, input: Fields) => ToolOutput | undefined

/** Matches the name of a random file. The name has no information for the model. */
const IMAGE_FILE = /^\[Image:? source: [^\]\n]*\]$/

const RESOURCE = /^\[Resource from [^\n]{1,200}? at (\S{1,2048})\] /

/** Readers of output by tool. For other tools, the model sees only a note or small output. */
const TOOLS: Readonly<Record<string, ReadOutput>> = {
  Bash: readShell,
  PowerShell: readShell,
  Read: readFile,
  Grep: readGrep,
  Glob: readGlob,
  WebFetch: readWebFetch,
  WebSearch: (output) => readList(output, 'results', readSearchResult, (text) => text),
  Agent: readAgent,
  Task: readAgent,
  ReadMcpResourceTool: readResource,
}

/** Names of the Claude Code tools whose output may be offloaded. */
export const offloadedTools: readonly string[] = Object.keys(TOOLS)

/** Returns `undefined` for an unknown form of output, which is not offloaded. */
export function readToolOutput(request: PostToolUseInput): ToolOutput | undefined {
  const { tool_name: toolName, tool_response: output, tool_input: input, mcp_server: server } = request
  if (server !== undefined || toolName.startsWith('mcp__')) return readMcpOutput(output)
  return Object.hasOwn(TOOLS, toolName) ? TOOLS[toolName]?.(fieldsOf(output), fieldsOf(input)) : undefined
}

export function partOfBlock(block: ContentBlock): OutputPart {
  if (block.type !== 'image' || block.data === undefined) {
    const text = block.type === 'text' ? block.text : JSON.stringify('value' in block ? block.value : block)
    return { value: { type: 'text', text }, block }
  }
  const source = { type: 'base64', media_type: block.mediaType, data: encodeBase64(block.data) }
  return { value: { type: 'image', source }, block }
}

function readShell(output: Fields): ToolOutput | undefined {
  const { stdout, stderr, isImage, structuredContent } = output
  // Claude Code would show these blocks in place of the text.
  if (typeof stdout !== 'string' || (Array.isArray(structuredContent) && structuredContent.length > 0)) return undefined
  const image = isImage === true ? mediaFromUrl('image/*', stdout.trim()) : undefined
  const out = image === undefined ? textPart(stdout) : { value: stdout, block: image }
  const err = textPart(typeof stderr === 'string' ? stderr : '')
  return {
    parts: [out, err].filter(({ value }) => value !== ''),
    write(text, rest) {
      const { persistedOutputPath: _path, persistedOutputSize: _size, ...others } = output
      if (rest.includes(out)) return { ...others, stderr: text }
      return { ...others, stdout: text, stderr: rest.includes(err) ? stderr : '', isImage: false }
    },
  }
}

function readFile({ type, file, ...others }: Fields, input: Fields): ToolOutput | undefined {
  const { content, base64, type: mediaType, cells, filePath = input['file_path'], totalLines } = fieldsOf(file)
  const block = readFileBlock(type, { content, base64, mediaType, cells })
  if (block === undefined) return undefined
  return {
    parts: [{ value: file, block }],
    // Claude Code shows a text only for the type `text`. The lines of the replacement count from 1, unlike those of the
    // file.
    write: (text) => ({
      ...others,
      type: 'text',
      file: {
        ...(type === 'text' && fieldsOf(file)),
        filePath,
        content: text,
        numLines: countLines(text),
        startLine: 1,
        totalLines: totalLines ?? countLines(text),
      },
    }),
  }
}

function readFileBlock(type: unknown, { content, base64, mediaType, cells }: Fields): ContentBlock | undefined {
  if (type === 'text' && typeof content === 'string') return { type: 'text', text: content }
  if (type === 'image') return mediaFromData(typeof mediaType === 'string' ? mediaType : 'image/*', base64)
  if (type === 'pdf') return mediaFromData('application/pdf', base64)
  return type === 'notebook' && Array.isArray(cells) ? { type: 'json', value: cells } : undefined
}

function readGrep(output: Fields): ToolOutput | undefined {
  const { mode, content, filenames } = output
  const shown = mode === 'content' || mode === 'count' ? content : linesOf(filenames)
  if (typeof shown !== 'string') return undefined
  return {
    parts: [textPart(shown)],
    write: (text) => ({ ...output, mode: 'content', content: text, filenames: [], numLines: countLines(text) }),
  }
}

function readGlob(output: Fields): ToolOutput | undefined {
  const shown = linesOf(output['filenames'])
  return shown === undefined
    ? undefined
    : { parts: [textPart(shown)], write: (text) => ({ ...output, filenames: [text] }) }
}

function readWebFetch(output: Fields): ToolOutput | undefined {
  const { result } = output
  return typeof result === 'string'
    ? { parts: [textPart(result)], write: (text) => ({ ...output, result: text }) }
    : undefined
}

function readSearchResult(result: unknown): ContentBlock {
  return typeof result === 'string' ? { type: 'text', text: result } : { type: 'json', value: result }
}

function readAgent(output: Fields): ToolOutput | undefined {
  return readList(output, 'content', readContentBlock, (text) => ({ type: 'text', text }))
}

function readResource(output: Fields): ToolOutput | undefined {
  const { contents } = output
  const { uri } = fieldsOf(Array.isArray(contents) ? contents[0] : undefined)
  const toBlock = (part: unknown): ContentBlock => {
    const { text, uri: name, mimeType: mediaType } = fieldsOf(part)
    return typeof text === 'string' ? textBlock(text, { name, mediaType }) : { type: 'unknown', value: part }
  }
  return readList(output, 'contents', toBlock, (text) => ({ uri, text }))
}

function readList(
  output: Fields,
  name: string,
  toBlock: (part: unknown) => ContentBlock,
  fromText: (text: string) => unknown,
): ToolOutput | undefined {
  const list = output[name]
  if (!Array.isArray(list)) return undefined
  return {
    parts: list.map((value: unknown) => ({ value, block: toBlock(value) })),
    write: (text, rest) => ({ ...output, [name]: [fromText(text), ...rest.map(({ value }) => value)] }),
  }
}

/** Output of an MCP tool: content blocks of the Messages API, or structured content as JSON text. */
function readMcpOutput(output: unknown): ToolOutput | undefined {
  if (typeof output === 'string') {
    return {
      parts: [{ value: output, block: valueOfJson(output) ?? { type: 'text', text: output } }],
      write: (text, rest) => (rest.length === 0 ? text : [{ type: 'text', text }, ...rest.map(({ value }) => value)]),
    }
  }
  // A hook must answer with content blocks alone, or the whole result would be lost.
  if (!Array.isArray(output) || output.some((part) => typeof fieldsOf(part)['type'] !== 'string')) return undefined
  return {
    parts: output.map((value: unknown) => ({ value, block: readContentBlock(value) })),
    write: (text, rest) => [{ type: 'text', text }, ...rest.map(({ value }) => value)],
  }
}

function readContentBlock(part: unknown): ContentBlock {
  const { type, text, source } = fieldsOf(part)
  if (type === 'text' && typeof text === 'string' && IMAGE_FILE.test(text)) return { type: 'unknown', value: undefined }
  if (type === 'text' && typeof text === 'string') return textBlock(text, { name: RESOURCE.exec(text)?.[1] })
  const { type: kind, media_type: mediaType, data } = fieldsOf(source)
  const isMedia = (type === 'image' || type === 'document') && kind === 'base64' && typeof mediaType === 'string'
  return (isMedia ? mediaFromData(mediaType, data) : undefined) ?? { type: 'unknown', value: part }
}

/** The value of a JSON text, unless parsing loses something, such as digits of a number. */
function valueOfJson(text: string): ContentBlock | undefined {
  if (!/^[[{]/.test(text)) return undefined
  const value = parseJsonText(text)
  return value !== undefined && JSON.stringify(value) === text ? { type: 'json', value } : undefined
}

const textPart = (text: string): OutputPart => ({ value: text, block: { type: 'text', text } })

function linesOf(list: unknown): string | undefined {
  return Array.isArray(list) && list.every((line) => typeof line === 'string') ? list.join('\n') : undefined
}

const countLines = (text: string): number => text.split('\n').length

const fieldsOf = (value: unknown): Fields => Object(value) as Fields
