/** Runs the cases of the suite through the loop of Genkit. */
import type { AdapterHarness, Conversation, ConversationResult, ModelTurn } from '@spillway-internal/adapter-suite'
import type { MessageData, MiddlewareRef, MultipartToolAction, ToolRequestPart, ToolResponsePart } from 'genkit'
import { genkit, type GenkitBeta } from 'genkit/beta'
import { historyMiddleware } from '../src/history/index.ts'
import { offloadMiddleware } from '../src/index.ts'
import { callIds, defineTools } from './case-tools.ts'
import { defineFakeModel } from './fake-model.ts'
import { GAPS, SESSION_GAPS, STREAM_GAPS } from './gaps.ts'
import { seenOutput } from './read-prompt.ts'
import type { Round, RunOptions, Send } from './round.ts'
import { openSession } from './session.ts'
import { toolErrors } from './tool-errors.ts'
import { hasAgents } from './version.ts'

/** Genkit stops after 5 rounds of tools by default. */
const MAX_TURNS = 500

type Output = ConversationResult['outputs'][number]

interface Seen {
  /** Outputs that are streamed to the program, or undefined without streaming. */
  streamed: Output[] | undefined
}

/** One way to use the adapter: how it is put into `use`, and how the program sends a round. */
type Way = (ai: GenkitBeta, options: RunOptions, conversation: Conversation, seen: Seen) => Send

function harness(name: string, gaps: Readonly<Record<string, string>>, use: Use, way: Way): AdapterHarness {
  return {
    name,
    gaps,
    moduleUrl: import.meta.url,
    compactsHistory: true,
    async run(conversation) {
      const { signal, approve = () => true, userMessage = 'Go.', offloader } = conversation
      const ai = genkit({})
      const prompts: ConversationResult['prompts'][number][] = []
      const approvalsAsked: string[] = []
      const seen: Seen = { streamed: undefined }
      let answer: ModelTurn | undefined
      const model = defineFakeModel(ai, (prompt) => {
        prompts.push(prompt)
        answer = conversation.model(prompt, prompts.length - 1)
        return answer
      })
      const tools = defineTools(ai, conversation.tools)
      const { systemPrompt: system } = conversation
      const ours = offloader === undefined ? [] : use(offloader, conversation)
      const all = [toolErrors(), ...ours, callIds()]
      const prompt = system === undefined ? {} : { system }
      const options: RunOptions = { model, tools, use: all, maxTurns: MAX_TURNS, ...prompt }
      const earlier = (conversation.history ?? []) as MessageData[]
      let messages: readonly MessageData[] = earlier
      let error: unknown
      try {
        const send = way(ai, options, conversation, seen)
        const common = signal === undefined ? {} : { abortSignal: signal }
        let round: Round | undefined = { ...common, prompt: userMessage }
        while (round !== undefined) {
          messages = (await send(round)).messages
          const interrupts = messages.at(-1)?.content.filter(isInterrupt) ?? []
          const approved = new Map(
            interrupts.map((interrupt) => {
              approvalsAsked.push(interrupt.toolRequest.name)
              return [interrupt, approve(interrupt.toolRequest.name)]
            }),
          )
          const resume = {
            restart: interrupts.filter((interrupt) => approved.get(interrupt)).map((one) => restart(one, tools)),
            respond: interrupts.filter((interrupt) => !approved.get(interrupt)).map((one) => deny(one, tools)),
          }
          round = interrupts.length === 0 ? undefined : { ...common, resume }
        }
      } catch (thrown) {
        error = thrown ?? new Error('The run rejected with nothing.')
      }
      const responses = messages.slice(earlier.length).flatMap(({ content }) => content.filter(isToolResponse))
      return {
        prompts,
        text: error === undefined && answer !== undefined && 'text' in answer ? answer.text : undefined,
        error,
        outputs: seen.streamed ?? responses.map(seenOutput),
        approvalsAsked,
        history: JSON.parse(JSON.stringify(messages)) as unknown,
      }
    },
  }
}

function isInterrupt(part: MessageData['content'][number]): part is ToolRequestPart {
  return part.toolRequest !== undefined && part.metadata?.['interrupt'] !== undefined
}

function isToolResponse(part: MessageData['content'][number]): part is ToolResponsePart {
  return part.toolResponse !== undefined
}

function toolOf(
  { toolRequest: { name } }: ToolRequestPart,
  tools: readonly MultipartToolAction[],
): MultipartToolAction {
  const tool = tools.find(({ __action }) => __action.name === name)
  if (tool === undefined) throw new Error(`There is no tool ${name}.`)
  return tool
}

const restart = (interrupt: ToolRequestPart, tools: readonly MultipartToolAction[]): ToolRequestPart =>
  toolOf(interrupt, tools).restart(interrupt)

const deny = (interrupt: ToolRequestPart, tools: readonly MultipartToolAction[]): ToolResponsePart =>
  toolOf(interrupt, tools).respond(interrupt, { error: 'The user has denied it.' })

type Use = (offloader: NonNullable<Conversation['offloader']>, conversation: Conversation) => MiddlewareRef[]

/** Each call names the scope. */
const useConfig: Use = (offloader, { session, compaction }) => {
  const config = { scope: [session] }
  const history = compaction === undefined ? [] : [historyMiddleware(offloader, compaction)(config)]
  return [offloadMiddleware(offloader)(config), ...history]
}

/** The option `scope` of both middlewares. */
type Scope = NonNullable<Parameters<typeof offloadMiddleware>[1]>['scope']

const useScope = (offloader: NonNullable<Conversation['offloader']>, { compaction }: Conversation, scope: Scope) => [
  offloadMiddleware(offloader, { scope })(),
  ...(compaction === undefined ? [] : [historyMiddleware(offloader, { ...compaction, scope })()]),
]

/** The scope comes from the context of Genkit. */
const useContext: Use = (offloader, conversation) =>
  useScope(offloader, conversation, ({ context }) => [String(context['session'])])

const generate: Way = (ai, options, { history }) => {
  let messages = (history ?? []) as MessageData[]
  return async (round) => {
    const response = await ai.generate({ ...options, ...round, messages })
    messages = response.messages
    return response
  }
}

const generateStream: Way = (ai, options, { history, session }, seen) => {
  let messages = (history ?? []) as MessageData[]
  seen.streamed = []
  return async (round) => {
    const { stream, response } = ai.generateStream({ ...options, ...round, messages, context: { session } })
    for await (const { role, content } of stream)
      if (role === 'tool') seen.streamed?.push(...content.filter(isToolResponse).map(seenOutput))
    messages = (await response).messages
    return response
  }
}

/** The scope is the session of an agent. In older versions, the scope function returns the session of a chat. */
const useSession: Use = (offloader, conversation) =>
  useScope(offloader, conversation, hasAgents ? undefined : () => [conversation.session])

const session: Way = (ai, options, { history, session }) =>
  openSession(ai, options, session, (history ?? []) as MessageData[])

/** Ways to use the adapter, by name. */
export const harnesses: Readonly<Record<string, AdapterHarness>> = Object.fromEntries(
  [
    harness('offloadMiddleware with generate', GAPS, useConfig, generate),
    harness('offloadMiddleware with generateStream', STREAM_GAPS, useContext, generateStream),
    harness('offloadMiddleware in a session', SESSION_GAPS, useSession, session),
  ].map((one) => [one.name, one]),
)
