/** Every name that leaves the house in spans and metrics. The `gen_ai` ones follow OpenTelemetry's conventions for generative AI. */

export const GEN_AI = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  conversation: "gen_ai.conversation.id",
  agent: "gen_ai.agent.name",
  responseModel: "gen_ai.response.model",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cacheRead: "gen_ai.usage.cache_read.input_tokens",
  cacheWrite: "gen_ai.usage.cache_creation.input_tokens",
  tool: "gen_ai.tool.name",
  toolCall: "gen_ai.tool.call.id",
  tokenType: "gen_ai.token.type",
  tokenUsage: "gen_ai.client.token.usage",
  duration: "gen_ai.client.operation.duration",
} as const;

/** What the conventions have no name for. */
export const OWN = {
  home: "denizen.home",
  turn: "denizen.turn",
  step: "denizen.step",
  how: "denizen.how",
  slot: "denizen.slot",
  turns: "denizen.turns",
  turnSeconds: "denizen.turn.duration",
  steps: "denizen.steps",
  toolCalls: "denizen.tool.calls",
  toolSeconds: "denizen.tool.duration",
  approvals: "denizen.approvals",
  approvalSeconds: "denizen.approval.wait",
  posts: "denizen.posts",
  modelErrors: "denizen.model.errors",
  messages: "denizen.messages",
} as const;

/** The values of `gen_ai.operation.name` that are used here. */
export const OPERATION = { turn: "invoke_agent", step: "chat", tool: "execute_tool" } as const;
