/*
 * A device on the link of docs/protocols/link.md: the reference for firmware, here a buzzer.
 *
 * C99 without allocation, recursion or floating point. What a board must bring stands under "The board" at the end:
 * bytes in and out, microseconds since the start, a random number at the start, and the thing that sounds. There it is
 * a process on standard input and output, so that the real driver can be run against it:
 *
 *     cc -std=c99 -O2 -o link_device link_device.c
 *     ./link_device [SOUND_MS [SERIAL]]
 *
 * Memory: about 8 kB, most of it events that the host hasn't stored yet and replies that it may ask for again.
 */

#define _POSIX_C_SOURCE 200809L

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- Numbers of the protocol ---- */

enum {
    VERSION = 1,
    HEADER_BYTES = 19,
    CRC_BYTES = 4,
    PAYLOAD_MAX = 64,
    FRAME_MIN = HEADER_BYTES + CRC_BYTES,
    FRAME_MAX = FRAME_MIN + PAYLOAD_MAX,
    ENCODED_MAX = FRAME_MAX + 1,
    ID_BYTES = 8,
    BODY_MAX = PAYLOAD_MAX - ID_BYTES,
    RING = 64,
    BURST = 16,
    REPLIES = 32,
    FURTHEST = 1 << 14
};

enum frame_type { HELLO = 1, IDENTITY, HEARTBEAT, EVENT, ACK, NAK, COMMAND, REPLY, GET_EVENTS };
enum nak_reason { UNKNOWN_TYPE = 1, WRONG_BOOT, EVENTS_GONE, MALFORMED, BUSY };
enum reply_kind { ACCEPTED = 1, REFUSED, STATUS };
enum operation_state { UNKNOWN = 0, RUNNING, DONE, FAILED };

#define RESENT 0x01u
#define HEARTBEAT_US UINT64_C(1000000)
#define RTO_START_US UINT64_C(400000)
#define RTO_MAX_US UINT64_C(3200000)
#define NEVER UINT64_MAX

/* ---- What the rest of the device brings ---- */

uint64_t board_now_us(void);                                /* since the start, never back */
uint32_t board_random(void);                                /* another one at every start */
void board_write(const uint8_t *data, size_t length);       /* to the host */
size_t device_identity(uint8_t *payload);                   /* the payload of IDENTITY; its length */
size_t device_command(const uint8_t *body, size_t length, uint8_t *reply); /* the reply's body; its length */

/* ---- Bytes ---- */

static void put16(uint8_t *to, uint16_t value)
{
    to[0] = (uint8_t)value;
    to[1] = (uint8_t)(value >> 8);
}

static void put32(uint8_t *to, uint32_t value)
{
    put16(to, (uint16_t)value);
    put16(to + 2, (uint16_t)(value >> 16));
}

static void put64(uint8_t *to, uint64_t value)
{
    put32(to, (uint32_t)value);
    put32(to + 4, (uint32_t)(value >> 32));
}

static uint16_t get16(const uint8_t *from)
{
    return (uint16_t)(from[0] | (uint16_t)from[1] << 8);
}

static uint32_t get32(const uint8_t *from)
{
    return get16(from) | (uint32_t)get16(from + 2) << 16;
}

static uint64_t get64(const uint8_t *from)
{
    return get32(from) | (uint64_t)get32(from + 4) << 32;
}

static uint32_t crc32_of(const uint8_t *data, size_t length)
{
    uint32_t crc = UINT32_MAX;
    for (size_t at = 0; at < length; at++) {
        crc ^= data[at];
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ (UINT32_C(0xEDB88320) & (0u - (crc & 1u)));
    }
    return ~crc;
}

/* No frame is as long as 254 bytes, so that a run never fills a block of COBS. */
static size_t cobs_encode(const uint8_t *data, size_t length, uint8_t *out)
{
    size_t code = 0, end = 1;
    for (size_t at = 0; at < length; at++) {
        if (data[at] == 0) {
            out[code] = (uint8_t)(end - code);
            code = end++;
        } else {
            out[end++] = data[at];
        }
    }
    out[code] = (uint8_t)(end - code);
    return end;
}

/* The length of what `data` encodes, or 0: no frame is empty. */
static size_t cobs_decode(const uint8_t *data, size_t length, uint8_t *out)
{
    size_t at = 0, end = 0;
    while (at < length) {
        size_t next = at + data[at];
        if (next > length)
            return 0;
        while (++at < next)
            out[end++] = data[at];
        if (at < length)
            out[end++] = 0;
    }
    return end;
}

/* Whether event number `seq` comes after `than`, counting on through 65535 to 0. */
static bool newer(uint16_t seq, uint16_t than)
{
    uint16_t ahead = (uint16_t)(seq - than);
    return ahead > 0 && ahead < 0x8000u;
}

/* ---- The link ---- */

struct kept_event {
    uint64_t t_us;
    uint16_t seq;
    uint8_t length;
    uint8_t payload[PAYLOAD_MAX];
};

struct kept_reply {
    uint64_t id;
    uint8_t length;
    uint8_t body[BODY_MAX];
};

static struct {
    uint32_t boot;
    uint16_t newest, acked; /* event numbers: the last one given, the last one that the host has stored */
    struct kept_event ring[RING];
    unsigned oldest, kept;
    struct kept_reply replies[REPLIES];
    unsigned next_reply, known_replies;
    uint64_t beat_us, resend_us, rto_us;
    uint8_t heard[ENCODED_MAX];
    size_t heard_bytes;
    bool skipping;
} line;

static struct kept_event *nth_kept(unsigned nth)
{
    return &line.ring[(line.oldest + nth) % RING];
}

static void send_frame(enum frame_type type, unsigned flags, uint16_t seq, uint64_t t_us, const uint8_t *payload,
                       size_t length)
{
    uint8_t frame[FRAME_MAX], encoded[ENCODED_MAX + 2];
    frame[0] = VERSION;
    frame[1] = (uint8_t)type;
    frame[2] = (uint8_t)flags;
    put16(frame + 3, seq);
    put16(frame + 5, line.acked);
    put32(frame + 7, line.boot);
    put64(frame + 11, t_us);
    if (length > 0)
        memcpy(frame + HEADER_BYTES, payload, length);
    put32(frame + HEADER_BYTES + length, crc32_of(frame, HEADER_BYTES + length));
    encoded[0] = 0;
    size_t end = 1 + cobs_encode(frame, FRAME_MIN + length, encoded + 1);
    encoded[end++] = 0;
    board_write(encoded, end);
}

static void send_now(enum frame_type type, const uint8_t *payload, size_t length)
{
    send_frame(type, 0, line.newest, board_now_us(), payload, length);
}

static void send_identity(void)
{
    uint8_t payload[PAYLOAD_MAX];
    send_now(IDENTITY, payload, device_identity(payload));
}

static void send_nak(enum nak_reason reason, uint8_t about, const uint8_t *detail, size_t length)
{
    uint8_t payload[2 + ID_BYTES] = {(uint8_t)reason, about};
    if (length > 0)
        memcpy(payload + 2, detail, length);
    send_now(NAK, payload, 2 + length);
}

static void send_event(const struct kept_event *event, unsigned flags)
{
    send_frame(EVENT, flags, event->seq, event->t_us, event->payload, event->length);
}

static void send_again(unsigned from)
{
    for (unsigned nth = from; nth < line.kept && nth < from + BURST; nth++)
        send_event(nth_kept(nth), RESENT);
    line.resend_us = line.kept > 0 ? board_now_us() + line.rto_us : NEVER;
}

/* Numbers, keeps and sends an event. When 64 wait already the oldest is lost, and the host learns of it. */
void link_event(const uint8_t *payload, size_t length)
{
    if (line.kept == RING) {
        line.oldest = (line.oldest + 1) % RING;
        line.kept--;
    }
    line.newest++;
    if (newer(line.newest, (uint16_t)(line.acked + FURTHEST)))
        line.acked++; /* the newest must not lap the last acknowledged one */
    struct kept_event *event = nth_kept(line.kept++);
    event->seq = line.newest;
    event->t_us = board_now_us();
    event->length = (uint8_t)length;
    memcpy(event->payload, payload, length);
    send_event(event, 0);
    if (line.resend_us == NEVER)
        line.resend_us = board_now_us() + line.rto_us;
}

static void take_ack(uint16_t ack)
{
    if (!newer(ack, line.acked) || newer(ack, line.newest))
        return;
    line.acked = ack;
    while (line.kept > 0 && !newer(nth_kept(0)->seq, ack)) {
        line.oldest = (line.oldest + 1) % RING;
        line.kept--;
    }
    line.rto_us = RTO_START_US;
    line.resend_us = line.kept > 0 ? board_now_us() + line.rto_us : NEVER;
}

static void give_events(uint16_t first)
{
    uint8_t number[2];
    uint16_t oldest = line.kept > 0 ? nth_kept(0)->seq : (uint16_t)(line.newest + 1);
    unsigned from = 0;
    if (newer(oldest, first)) {
        put16(number, oldest);
        send_nak(EVENTS_GONE, GET_EVENTS, number, sizeof number);
    }
    while (from < line.kept && newer(first, nth_kept(from)->seq))
        from++;
    send_again(from);
}

/* Carries a command out once, and answers a repeated one with the same words. Every command is answered at once, so
 * that this device is never busy. */
static void take_command(const uint8_t *payload, size_t length)
{
    uint64_t id = get64(payload);
    struct kept_reply *reply = NULL;
    uint8_t answer[PAYLOAD_MAX];
    for (unsigned nth = 0; nth < line.known_replies && reply == NULL; nth++)
        if (line.replies[nth].id == id)
            reply = &line.replies[nth];
    if (reply == NULL) {
        reply = &line.replies[line.next_reply];
        line.next_reply = (line.next_reply + 1) % REPLIES;
        if (line.known_replies < REPLIES)
            line.known_replies++;
        reply->id = id;
        reply->length = (uint8_t)device_command(payload + ID_BYTES, length - ID_BYTES, reply->body);
    }
    put64(answer, id);
    memcpy(answer + ID_BYTES, reply->body, reply->length);
    send_now(REPLY, answer, ID_BYTES + (size_t)reply->length);
}

static void take_known(uint8_t type, const uint8_t *payload, size_t length)
{
    if (type == ACK || type == NAK)
        return; /* the acknowledgement came with the header, and a NAK is never answered */
    if (type == GET_EVENTS && length == 2)
        give_events(get16(payload));
    else if (type == COMMAND && length >= ID_BYTES)
        take_command(payload, length);
    else
        send_nak(type == GET_EVENTS || type == COMMAND ? MALFORMED : UNKNOWN_TYPE, type, NULL, 0);
}

static void take_frame(const uint8_t *frame, size_t length)
{
    uint8_t type = frame[1];
    const uint8_t *payload = frame + HEADER_BYTES;
    size_t payload_bytes = length - FRAME_MIN;
    if (type == HELLO) {
        send_identity();
    } else if (get32(frame + 7) != line.boot) {
        size_t detail = type == COMMAND && payload_bytes >= ID_BYTES ? ID_BYTES : 0;
        if (type != NAK)
            send_nak(WRONG_BOOT, type, payload, detail);
    } else {
        take_ack(get16(frame + 5));
        take_known(type, payload, payload_bytes);
    }
}

static void take_piece(void)
{
    uint8_t frame[ENCODED_MAX];
    size_t length = cobs_decode(line.heard, line.heard_bytes, frame);
    if (length < FRAME_MIN || length > FRAME_MAX || frame[0] != VERSION)
        return;
    if (crc32_of(frame, length - CRC_BYTES) == get32(frame + length - CRC_BYTES))
        take_frame(frame, length);
}

/* Takes what the host wrote, cut anywhere. Whatever is no frame is dropped whole. */
void link_receive(const uint8_t *data, size_t length)
{
    for (size_t at = 0; at < length; at++) {
        if (data[at] == 0) {
            if (!line.skipping && line.heard_bytes > 0)
                take_piece();
            line.heard_bytes = 0;
            line.skipping = false;
        } else if (line.heard_bytes == ENCODED_MAX) {
            line.skipping = true;
        } else {
            line.heard[line.heard_bytes++] = data[at];
        }
    }
}

/* Does what is due; returns when it must be called again at the latest. */
uint64_t link_poll(void)
{
    uint64_t now_us = board_now_us();
    if (line.beat_us <= now_us) {
        line.beat_us = now_us + HEARTBEAT_US;
        send_now(HEARTBEAT, NULL, 0);
    }
    if (line.resend_us <= now_us) {
        line.rto_us = line.rto_us * 2 < RTO_MAX_US ? line.rto_us * 2 : RTO_MAX_US;
        send_again(0);
    }
    return line.beat_us < line.resend_us ? line.beat_us : line.resend_us;
}

void link_start(void)
{
    memset(&line, 0, sizeof line);
    while (line.boot == 0)
        line.boot = board_random();
    line.beat_us = board_now_us();
    line.resend_us = NEVER;
    line.rto_us = RTO_START_US;
    send_identity();
}

/* ---- The buzzer ---- */

enum { SOUND = 1, ASK_STATUS = 2, SOUNDED = 1, OPERATIONS = 32, KIND = 4, PATTERNS = 2, UNRECOGNISED = 255 };

void board_sound(bool on, uint8_t pattern);

struct operation {
    uint64_t number;
    uint8_t state;
    uint8_t pattern;
};

static struct {
    struct operation operations[OPERATIONS];
    unsigned next, known;
    struct operation *sounding;
    uint64_t quiet_us;  /* when the signal is over */
    uint64_t lasts_us;
    const char *serial;
    bool simulated;
} buzzer;

size_t device_identity(uint8_t *payload)
{
    static const uint8_t firmware[8] = {0};
    const char *names[3] = {"tablectl", "reference", buzzer.serial};
    size_t end = 0;
    payload[end++] = 1; /* layout */
    payload[end++] = 1; /* version of the messages */
    payload[end++] = (uint8_t)(KIND << 4 | buzzer.simulated);
    put16(payload + end, 0); /* capabilities */
    end += 2;
    memcpy(payload + end, firmware, sizeof firmware);
    end += sizeof firmware;
    for (unsigned nth = 0; nth < 3; nth++) {
        size_t length = strlen(names[nth]);
        if (length > 16)
            length = 16;
        payload[end++] = (uint8_t)length;
        memcpy(payload + end, names[nth], length);
        end += length;
    }
    return end;
}

static struct operation *operation_of(uint64_t number)
{
    for (unsigned nth = 0; nth < buzzer.known; nth++)
        if (buzzer.operations[nth].number == number)
            return &buzzer.operations[nth];
    return NULL;
}

/* Begins a signal, unless it was begun before: then nothing happens, and the answer is the same. */
static size_t sound(uint64_t number, uint8_t pattern, uint8_t *reply)
{
    if (operation_of(number) == NULL) {
        if (buzzer.sounding != NULL) {
            reply[0] = REFUSED;
            reply[1] = UNRECOGNISED;
            return 2;
        }
        struct operation *begun = &buzzer.operations[buzzer.next];
        buzzer.next = (buzzer.next + 1) % OPERATIONS;
        if (buzzer.known < OPERATIONS)
            buzzer.known++;
        begun->number = number;
        begun->state = RUNNING;
        begun->pattern = pattern;
        buzzer.sounding = begun;
        buzzer.quiet_us = board_now_us() + buzzer.lasts_us;
        board_sound(true, pattern);
    }
    reply[0] = ACCEPTED;
    return 1;
}

static size_t status(uint64_t number, uint8_t *reply)
{
    const struct operation *known = operation_of(number);
    reply[0] = STATUS;
    reply[1] = known == NULL ? UNKNOWN : known->state;
    reply[2] = 1; /* verified, with DONE */
    return reply[1] == DONE ? 3 : 2;
}

size_t device_command(const uint8_t *body, size_t length, uint8_t *reply)
{
    if (length == 1 + ID_BYTES + 1 && body[0] == SOUND && body[9] >= 1 && body[9] <= PATTERNS)
        return sound(get64(body + 1), body[9], reply);
    if (length == 1 + ID_BYTES && body[0] == ASK_STATUS)
        return status(get64(body + 1), reply);
    reply[0] = REFUSED;
    reply[1] = UNRECOGNISED;
    return 2;
}

/* Ends the signal when its time is up; returns when it must be called again at the latest. */
static uint64_t buzzer_poll(void)
{
    if (buzzer.sounding == NULL)
        return NEVER;
    if (board_now_us() < buzzer.quiet_us)
        return buzzer.quiet_us;
    uint8_t event[1 + ID_BYTES + 1] = {SOUNDED};
    put64(event + 1, buzzer.sounding->number);
    event[9] = 1; /* a board measures its current here and says 0 where it flowed not */
    board_sound(false, buzzer.sounding->pattern);
    buzzer.sounding->state = DONE;
    buzzer.sounding = NULL;
    link_event(event, sizeof event);
    return NEVER;
}

/* ---- The board: here a process, with a line on standard error for each sound ---- */

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static uint64_t clock_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

uint64_t board_now_us(void)
{
    static uint64_t started_us;
    if (started_us == 0)
        started_us = clock_us();
    return clock_us() - started_us;
}

uint32_t board_random(void)
{
    uint32_t number = 0;
    FILE *source = fopen("/dev/urandom", "rb");
    if (source == NULL || fread(&number, sizeof number, 1, source) != 1)
        exit(EXIT_FAILURE);
    fclose(source);
    return number;
}

void board_write(const uint8_t *data, size_t length)
{
    while (length > 0) {
        ssize_t written = write(STDOUT_FILENO, data, length);
        if (written < 0 && errno != EINTR)
            exit(EXIT_FAILURE);
        if (written > 0) {
            data += written;
            length -= (size_t)written;
        }
    }
}

void board_sound(bool on, uint8_t pattern)
{
    fprintf(stderr, "%s %u\n", on ? "sound" : "quiet", pattern);
}

int main(int count, char **arguments)
{
    uint8_t data[256];
    buzzer.lasts_us = (uint64_t)(count > 1 ? strtoul(arguments[1], NULL, 10) : 200u) * 1000u;
    buzzer.serial = count > 2 ? arguments[2] : "REF-1";
    buzzer.simulated = true;
    link_start();
    for (;;) {
        struct pollfd input = {STDIN_FILENO, POLLIN, 0};
        uint64_t quiet_us = buzzer_poll(), due_us = link_poll(), now_us = board_now_us();
        uint64_t next_us = quiet_us < due_us ? quiet_us : due_us;
        int wait_ms = next_us <= now_us ? 0 : (int)((next_us - now_us) / 1000u + 1u);
        if (poll(&input, 1, wait_ms) < 0 && errno != EINTR)
            return EXIT_FAILURE;
        if (input.revents != 0) {
            ssize_t length = read(STDIN_FILENO, data, sizeof data);
            if (length == 0 || (length < 0 && errno != EINTR && errno != EAGAIN))
                return EXIT_SUCCESS; /* the line is gone */
            link_receive(data, length > 0 ? (size_t)length : 0);
        }
    }
}
