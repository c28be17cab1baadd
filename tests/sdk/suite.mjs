// The official JavaScript clients against a running server: node suite.mjs ORIGIN KEY. The model behind it is scripted and
// answers each question with "Four words are here." unless it is told otherwise. Prints one line a call; exit 1 when one fails.
import OpenAI from "openai";
import Anthropic from "@anthropic-ai/sdk";
import assert from "node:assert/strict";

const [origin, apiKey] = process.argv.slice(2);
const openai = new OpenAI({ apiKey, baseURL: `${origin}/v1`, maxRetries: 0 });
const anthropic = new Anthropic({ apiKey, baseURL: origin, maxRetries: 0 });
const SAID = "Four words are here.";
const user = (content) => [{ role: "user", content }];

const calls = {
  "models.list": async () => {
    const ids = (await openai.models.list()).data.map(({ id }) => id);
    assert.deepEqual(ids, ["ui4a", "ui4a:l0", "ui4a:l1", "ui4a:l2", "ui4a:l3", "scripted"]);
  },
  "models.retrieve": async () => assert.equal((await openai.models.retrieve("ui4a:l3")).id, "ui4a:l3"),
  "models.retrieve unknown": () =>
    assert.rejects(openai.models.retrieve("gpt-9"), (error) => error.status === 404 && error.code === "model_not_found" && /ui4a:l3/.test(error.message)),
  "chat plain": async () => {
    const answer = await openai.chat.completions.create({ model: "ui4a:l0", messages: user("Hello") });
    assert.equal(answer.choices[0].message.content, SAID);
    assert.equal(answer.choices[0].finish_reason, "stop");
    assert.equal(answer.usage.total_tokens, answer.usage.prompt_tokens + answer.usage.completion_tokens);
    assert.equal(answer.ui4a.specialist, "L0");
  },
  "chat routed": async () => {
    const answer = await openai.chat.completions.create({ model: "ui4a", messages: user("A dashboard") });
    assert.equal(answer.ui4a.specialist, "L3");
    assert.ok(answer.ui4a.probabilities.L3 > 0.5 && answer.ui4a.route_tokens > 0);
  },
  "chat of the model itself": async () => {
    const answer = await openai.chat.completions.create({ model: "scripted", messages: user("Hello") });
    assert.equal(answer.ui4a.specialist, null);
  },
  "chat with every field that is honoured": async () => {
    const answer = await openai.chat.completions.create({
      model: "ui4a:l2", messages: [{ role: "developer", content: "Be short." }, ...user([{ type: "text", text: "Hello" }])],
      temperature: 0.2, top_p: 0.9, seed: 7, stop: ["END"], max_completion_tokens: 50, n: 1, user: "u", metadata: { a: "b" },
      store: false, frequency_penalty: 0, presence_penalty: 0, response_format: { type: "text" }, tools: [], logprobs: false,
    });
    assert.equal(answer.choices[0].message.content, SAID);
  },
  "chat of two answers": async () => {
    const answer = await openai.chat.completions.create({ model: "scripted", messages: user("Hello"), n: 2, seed: 1 });
    assert.deepEqual(answer.choices.map(({ index, message }) => [index, message.content]), [[0, SAID], [1, SAID]]);
  },
  "chat of two answers streamed": async () => {
    const texts = ["", ""];
    const stream = await openai.chat.completions.create({ model: "scripted", messages: user("Hello"), n: 2, stream: true });
    for await (const chunk of stream) for (const { index, delta } of chunk.choices) texts[index] += delta.content ?? "";
    assert.deepEqual(texts, [SAID, SAID]);
  },
  "chat held to a schema": async () => {
    const schema = { type: "object", properties: { a: { type: "integer" } }, required: ["a"], additionalProperties: false };
    const response_format = { type: "json_schema", json_schema: { name: "held", strict: true, schema } };
    const answer = await openai.chat.completions.create({ model: "ui4a:l2", messages: user("Hello"), response_format, presence_penalty: 1, frequency_penalty: 0.5 });
    assert.equal(answer.choices[0].message.content, SAID);
  },
  "responses held to a schema": async () => {
    const format = { type: "json_schema", name: "held", strict: true, schema: { type: "object" } };
    const answer = await openai.responses.create({ model: "ui4a:l0", input: "Hello", text: { format } });
    assert.equal(answer.text.format.name, "held");
  },
  "chat streamed": async () => {
    const stream = await openai.chat.completions.create({ model: "ui4a:l0", messages: user("Hello"), stream: true });
    let [text, finish, roles] = ["", null, 0];
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      finish = chunk.choices[0]?.finish_reason ?? finish;
      roles += Number(chunk.choices[0]?.delta.role === "assistant");
    }
    assert.deepEqual([text, finish, roles], [SAID, "stop", 1]);
  },
  "chat streamed with usage": async () => {
    const stream = await openai.chat.completions.create({ model: "ui4a:l0", messages: user("Hello"), stream: true, stream_options: { include_usage: true } });
    let usage = null;
    for await (const chunk of stream) usage = chunk.usage ?? usage;
    assert.ok(usage.prompt_tokens > 0 && usage.completion_tokens > 0);
  },
  "chat stream helper": async () => {
    const answer = await openai.chat.completions.stream({ model: "ui4a:l0", messages: user("Hello") }).finalContent();
    assert.equal(answer, SAID);
  },
  "chat stream aborted": async () => {
    const stream = await openai.chat.completions.create({ model: "ui4a:l0", messages: user("Hello"), stream: true });
    for await (const _ of stream) break;
    stream.controller.abort();
  },
  "chat several turns": async () => {
    const messages = [...user("One"), { role: "assistant", content: "Two" }, ...user("Three")];
    assert.equal((await openai.chat.completions.create({ model: "ui4a:l1", messages })).choices[0].message.content, SAID);
  },
  "responses plain": async () => {
    const answer = await openai.responses.create({ model: "ui4a:l0", input: "Hello", instructions: "Be short.", metadata: { a: "b" } });
    assert.deepEqual([answer.output_text, answer.status, answer.metadata.a], [SAID, "completed", "b"]);
    assert.equal(answer.usage.total_tokens, answer.usage.input_tokens + answer.usage.output_tokens);
  },
  "responses chain, get, items, delete": async () => {
    const first = await openai.responses.create({ model: "ui4a:l0", input: "My name is Ada." });
    const input = [{ role: "user", content: [{ type: "input_text", text: "What is it?" }] }];
    const second = await openai.responses.create({ model: "ui4a:l0", input, previous_response_id: first.id });
    assert.equal(second.previous_response_id, first.id);
    assert.equal((await openai.responses.retrieve(second.id)).output_text, SAID);
    const items = (await openai.responses.inputItems.list(second.id)).data;
    assert.deepEqual(items.map((item) => item.content[0].text), ["What is it?"]);
    await openai.responses.delete(first.id);
    await assert.rejects(openai.responses.retrieve(first.id), (error) => error.status === 404);
    await assert.rejects(openai.responses.create({ model: "ui4a:l0", input: "And?", previous_response_id: second.id }), (error) => error.status === 400);
  },
  "responses not stored": async () => {
    const { id } = await openai.responses.create({ model: "ui4a:l0", input: "Hello", store: false });
    await assert.rejects(openai.responses.retrieve(id), (error) => error instanceof OpenAI.NotFoundError);
  },
  "responses cancel": async () => {
    const { id } = await openai.responses.create({ model: "ui4a:l0", input: "Hello" });
    await assert.rejects(openai.responses.cancel(id), (error) => error.status === 400 && /background/.test(error.message));
  },
  "responses streamed": async () => {
    const stream = await openai.responses.create({ model: "ui4a:l0", input: "Hello", stream: true });
    let [text, types, next] = ["", [], 0];
    for await (const event of stream) {
      assert.equal(event.sequence_number, next++);
      if (types.at(-1) !== event.type) types.push(event.type.replace("response.", ""));
      text += event.type === "response.output_text.delta" ? event.delta : "";
      if (event.type === "response.completed") assert.equal((await openai.responses.retrieve(event.response.id)).output_text, SAID);
    }
    assert.equal(text, SAID);
    const order = ["created", "in_progress", "output_item.added", "content_part.added", "output_text.delta", "output_text.done", "content_part.done", "output_item.done", "completed"];
    assert.deepEqual([...new Set(types)], order);
  },
  "responses stream helper": async () => {
    const answer = await openai.responses.stream({ model: "ui4a:l0", input: "Hello" }).finalResponse();
    assert.equal(answer.output_text, SAID);
  },
  "messages plain": async () => {
    const answer = await anthropic.messages.create({ model: "ui4a:l0", max_tokens: 100, messages: user("Hello") });
    assert.deepEqual([answer.content[0].text, answer.stop_reason, answer.role], [SAID, "end_turn", "assistant"]);
    assert.ok(answer.usage.input_tokens > 0 && answer.usage.output_tokens > 0);
  },
  "messages with system and blocks": async () => {
    const answer = await anthropic.messages.create({
      model: "ui4a:l2", max_tokens: 100, system: [{ type: "text", text: "Be short." }], temperature: 0.5, top_p: 0.9, top_k: 40,
      stop_sequences: ["END"], metadata: { user_id: "u" }, messages: user([{ type: "text", text: "Hello" }]),
    });
    assert.equal(answer.content[0].text, SAID);
  },
  "messages streamed": async () => {
    const types = [];
    const stream = await anthropic.messages.create({ model: "ui4a:l0", max_tokens: 100, messages: user("Hello"), stream: true });
    for await (const event of stream) if (types.at(-1) !== event.type) types.push(event.type);
    assert.deepEqual(types, ["message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop"]);
  },
  "messages stream helper": async () => {
    const message = await anthropic.messages.stream({ model: "ui4a:l0", max_tokens: 100, messages: user("Hello") }).finalMessage();
    assert.deepEqual([message.content[0].text, message.stop_reason], [SAID, "end_turn"]);
  },
  "messages.countTokens": async () => {
    const few = await anthropic.messages.countTokens({ model: "ui4a", messages: user("Hello") });
    const many = await anthropic.messages.countTokens({ model: "ui4a", messages: user("Hello ".repeat(100)) });
    assert.ok(few.input_tokens > 0 && many.input_tokens > 20 * few.input_tokens);
  },
};

// Tools, as each client's own helpers run them; the model behind answers in words.
const weather = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
Object.assign(calls, {
  "chat with tools and a result": async () => {
    const messages = [...user("Weather?"), { role: "assistant", content: null, tool_calls: [{ id: "a", type: "function", function: { name: "weather", arguments: '{"city":"Rome"}' } }] }, { role: "tool", tool_call_id: "a", content: "Sunny" }];
    const answer = await openai.chat.completions.create({ model: "ui4a:l1", messages, tools: [{ type: "function", function: { name: "weather", parameters: weather } }], tool_choice: "auto" });
    assert.equal(answer.choices[0].message.content, SAID);
  },
  "chat refuses a result without its call": () =>
    assert.rejects(openai.chat.completions.create({ model: "ui4a", messages: [...user("Hi"), { role: "tool", tool_call_id: "x", content: "1" }] }), (error) => error.status === 400 && /`x`/.test(error.message)),
  "chat refuses a choice that is not offered": () =>
    assert.rejects(openai.chat.completions.create({ model: "ui4a", messages: user("Hi"), tool_choice: { type: "function", function: { name: "f" } } }), (error) => error.status === 400 && error.param === "tool_choice"),
  "responses with a result": async () => {
    const input = [...user("Weather?"), { type: "function_call", call_id: "a", name: "weather", arguments: '{"city":"Rome"}' }, { type: "function_call_output", call_id: "a", output: "Sunny" }];
    const answer = await openai.responses.create({ model: "ui4a:l1", input, tools: [{ type: "function", name: "weather", parameters: weather, strict: false }] });
    assert.deepEqual([answer.output_text, answer.tools[0].name], [SAID, "weather"]);
  },
  "messages with tools and a result": async () => {
    const messages = [...user("Weather?"), { role: "assistant", content: [{ type: "tool_use", id: "a", name: "weather", input: { city: "Rome" } }] }, user([{ type: "tool_result", tool_use_id: "a", content: "Sunny" }])[0]];
    const answer = await anthropic.messages.create({ model: "ui4a:l1", max_tokens: 100, messages, tools: [{ name: "weather", input_schema: weather }] });
    assert.equal(answer.content[0].text, SAID);
  },
});

// What is not honoured is refused by its name.
for (const [param, value] of Object.entries({
  n: 99, top_logprobs: 3, logit_bias: { 50256: -100 }, frequency_penalty: 3,
  response_format: { type: "json_schema", json_schema: { name: "none" } }, audio: { voice: "alloy" }, temperature: 3, max_tokens: 0, prediction: {},
})) {
  calls[`chat refuses ${param}`] = () =>
    assert.rejects(openai.chat.completions.create({ model: "ui4a", messages: user("Hello"), [param]: value }), (error) => error.status === 400 && error.param === param && error.message.includes(param));
}
calls["chat refuses a picture"] = () =>
  assert.rejects(openai.chat.completions.create({ model: "ui4a", messages: user([{ type: "image_url", image_url: { url: "https://a.test/b.png" } }]) }), (error) => error.status === 400 && /image_url/.test(error.message));
calls["chat refuses no words"] = () => assert.rejects(openai.chat.completions.create({ model: "ui4a", messages: [] }), (error) => error.status === 400);
calls["chat refuses an unknown model"] = () =>
  assert.rejects(openai.chat.completions.create({ model: "gpt-4o", messages: user("Hello") }), (error) => error instanceof OpenAI.NotFoundError);
calls["chat refuses a wrong key"] = () =>
  assert.rejects(new OpenAI({ apiKey: "wrong", baseURL: `${origin}/v1`, maxRetries: 0 }).models.list(), (error) => error instanceof OpenAI.AuthenticationError);
for (const [param, value] of Object.entries({
  tools: [{ type: "web_search" }], background: true, truncation: "auto", text: { format: { type: "regex" } }, include: ["reasoning.encrypted_content"], prompt: { id: "p" }, metadata: { a: 1 },
})) {
  calls[`responses refuse ${param}`] = () =>
    assert.rejects(openai.responses.create({ model: "ui4a", input: "Hello", [param]: value }), (error) => error.status === 400 && error.param === param && error.message.includes(param));
}
calls["responses refuse an unknown one before"] = () =>
  assert.rejects(openai.responses.create({ model: "ui4a", input: "Hello", previous_response_id: "resp_x" }), (error) => error.status === 400 && error.param === "previous_response_id");
for (const [param, value] of Object.entries({ thinking: { type: "enabled", budget_tokens: 1024 }, container: "c" })) {
  calls[`messages refuses ${param}`] = () =>
    assert.rejects(anthropic.messages.create({ model: "ui4a", max_tokens: 10, messages: user("Hello"), [param]: value }), (error) => error instanceof Anthropic.BadRequestError && error.message.includes(param));
}
calls["messages refuses an unknown model"] = () =>
  assert.rejects(anthropic.messages.create({ model: "claude-x", max_tokens: 10, messages: user("Hello") }), (error) => error instanceof Anthropic.NotFoundError);
calls["messages refuses a wrong key"] = () =>
  assert.rejects(new Anthropic({ apiKey: "wrong", baseURL: origin, maxRetries: 0 }).messages.create({ model: "ui4a", max_tokens: 10, messages: user("Hello") }), (error) => error instanceof Anthropic.AuthenticationError);

let failed = 0;
for (const [name, call] of Object.entries(calls)) {
  try {
    await call();
    console.log(`ok ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED ${name}: ${error?.stack ?? error}`);
  }
}
console.log(`${Object.keys(calls).length} calls, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
