import type { Fault } from '../faults.js';
import type { Decision } from '../schedule/decision.js';
import { type Answer, captivePortal, gatewayPage, tooManyRequests } from './answer.js';
import type { Exchange } from './exchange.js';

type Injection = (exchange: Exchange, decision: Decision) => Promise<void>;

/** What each fault does, step by step. All but two begin by reading the whole request: it is the network that is bad. */
const injections: { readonly [F in Fault]: Injection } = {
  pass: (exchange) => exchange.stream(),

  'reset-at-once': async (exchange) => exchange.reset(),

  'lose-request': async (exchange) => {
    await exchange.kept();
    exchange.close();
  },
  'lose-request-hang': async (exchange) => {
    await exchange.kept();
    await exchange.over;
  },

  'lose-answer-reset': async (exchange) => {
    await exchange.ask();
    exchange.reset();
  },
  'lose-answer-close': async (exchange) => {
    await exchange.ask();
    exchange.close();
  },
  'lose-answer-cut': async (exchange, { cutAt }) => {
    exchange.deliverPart(await exchange.ask(), cutAt);
  },
  'lose-answer-hang': async (exchange) => {
    await exchange.ask();
    await exchange.over;
  },

  'delay-request': async (exchange, { delayMs }) => {
    await exchange.kept();
    await exchange.sleep(delayMs);
    exchange.deliver(await exchange.ask());
  },
  'delay-answer': async (exchange, { delayMs }) => {
    const answer = await exchange.ask();
    await Promise.race([exchange.sleep(delayMs), exchange.over]);
    exchange.deliver(answer);
  },

  'duplicate-together': async (exchange, { answerOf }) => {
    const copies = [exchange.ask(1), exchange.ask(2)] as const;
    exchange.deliver(await preferred(copies, answerOf));
    await Promise.all(copies);
  },
  'duplicate-in-turn': async (exchange, { answerOf }) => {
    const first = await exchange.ask(1);
    const second = await exchange.ask(2);
    exchange.deliver(answerOf === 1 ? first : second);
  },
  'duplicate-late': async (exchange, { delayMs }) => {
    exchange.deliver(await exchange.ask(1));
    await exchange.sleep(delayMs);
    await exchange.ask(2);
  },

  'gateway-error': async (exchange, { gatewayStatus }) => {
    await exchange.kept();
    exchange.deliverMadeUp(gatewayPage(gatewayStatus));
  },
  'gateway-error-after': async (exchange, { gatewayStatus }) => {
    await exchange.ask();
    exchange.deliverMadeUp(gatewayPage(gatewayStatus));
  },
  'too-many-requests': async (exchange) => {
    await exchange.kept();
    exchange.deliverMadeUp(tooManyRequests());
  },
  'captive-portal': async (exchange) => {
    await exchange.kept();
    exchange.deliverMadeUp(captivePortal());
  },
};

/** Does to `exchange` what was decided; resolves when nothing of it is left to do. */
export function inject(exchange: Exchange, decision: Decision): Promise<void> {
  return injections[decision.fault](exchange, decision);
}

function preferred(copies: readonly [Promise<Answer>, Promise<Answer>], answerOf: 1 | 2): Promise<Answer> {
  return copies[answerOf - 1] ?? copies[0];
}
