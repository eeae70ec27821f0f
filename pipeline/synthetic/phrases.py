"""The demo corpus's own words: sentence patterns with slots, written for this project. No line was ever said by anyone."""

from __future__ import annotations

CLIENT_NAMES = (
    "Adela",
    "Bruno",
    "Corin",
    "Dalia",
    "Edwin",
    "Fenna",
    "Gideon",
    "Hanne",
    "Ivo",
    "Jorun",
    "Kasper",
    "Lioba",
    "Marlo",
    "Nerys",
    "Oskar",
    "Petra",
    "Quirin",
    "Runa",
    "Stellan",
    "Thea",
    "Ulric",
    "Velma",
    "Wendel",
    "Xenia",
    "Yorick",
    "Zelda",
    "Aldo",
    "Birte",
    "Cosmo",
    "Dorte",
    "Emil",
    "Frida",
    "Gustav",
    "Hedda",
    "Ilja",
    "Jonna",
    "Knut",
    "Lene",
    "Mattis",
    "Nilla",
    "Orla",
    "Pim",
    "Rasmus",
    "Signe",
    "Tarek",
    "Ylva",
    "Zeno",
    "Annika",
    "Bastian",
    "Clelia",
)

TOPICS = (
    "the kitchen",
    "your mother",
    "the move",
    "the holidays",
    "money",
    "the garden",
    "your phone",
    "the school run",
    "Sundays",
    "the car",
    "my job",
    "the wedding",
    "the neighbours",
    "bedtime",
    "the budget",
    "my sister",
    "the dog",
    "the late shifts",
)

OPENERS = ("", "", "", "", "Well, ", "Look, ", "I mean, ", "Honestly, ", "You know, ", "Okay, ", "Um, ", "So ")
TAILS = (
    "",
    "",
    "",
    "",
    " That's how it is.",
    " Every time.",
    " I don't know.",
    " It just sits there.",
    " And that's it.",
)

#: What clients say, by utterance type (the labels of RESCUE-BENCH's client rows).
CLIENT = {
    "accusation": (
        "you never listen when I bring up {topic}.",
        "you always turn {topic} into my fault.",
        "every single week you promise me something about {topic} and nothing happens.",
        "you walk out of the room, you did it again over {topic}.",
        "it's always you, you, you, whenever we get to {topic}.",
        "you don't care what {topic} does to me, you never did!",
        "why do you have to attack me about {topic}?",
    ),
    "defense": (
        "that's not true, I did take care of {topic}.",
        "I was only trying to keep the peace about {topic}.",
        "no, I never said that about {topic}, not once.",
        "I can't do anything right when it comes to {topic}, can I?",
        "I had a reason, {topic} was not what you think.",
        "don't put {topic} on me, I was at work.",
    ),
    "disclosure": (
        "I feel small when we talk about {topic}.",
        "I'm scared that {topic} will be the end of us.",
        "it hurts, I lie awake because of {topic}.",
        "I miss the way we were before {topic}.",
        "I was ashamed to tell you about {topic}.",
        "I think I've been lonely ever since {topic}.",
        "what I really need is to not be alone with {topic}.",
    ),
    "request": (
        "could you maybe sit with me when {topic} comes up?",
        "would you help me with {topic} this week?",
        "can we please talk about {topic} for ten minutes?",
        "I'd like you to ask me about {topic} before you decide.",
    ),
    "recollection": (
        "last spring we fought about {topic} and then we didn't speak for three days.",
        "when I was nine my father left over {topic}.",
        "there was this evening, we had {topic} all planned, and then the call came.",
        "I remember the first year, {topic} was easy then.",
        "back then we would laugh about {topic}.",
    ),
    "reflection": (
        "maybe I go quiet about {topic} because I'm afraid.",
        "I see now that I push harder when {topic} is uncertain.",
        "perhaps {topic} isn't really what this is about.",
        "I guess we both get caught in {topic} the same way.",
    ),
    "repair": (
        "I'm sorry, I should have stayed when we talked about {topic}.",
        "thank you for saying that about {topic}, it means a lot.",
        "I hear you, and I want us to do {topic} together.",
        "I love you, and I don't want {topic} between us.",
        "we can try again with {topic}, I'd like that.",
    ),
    "withdrawal": (
        "whatever.",
        "I don't want to talk about {topic}.",
        "fine, do what you want with {topic}.",
        "there's nothing to say.",
        "I'm done with {topic}.",
        "it's no use.",
        "hm.",
    ),
    "validation": (
        "yeah, that's right about {topic}.",
        "you're right, I see that.",
        "exactly, we did well with {topic}.",
        "mm, yes, I agree about {topic}.",
        "true, and we managed {topic} as a team.",
    ),
    "other": (
        "what time is it?",
        "sorry, could you say that again?",
        "is it warm in here?",
        "where were we with {topic}?",
    ),
}

#: What the therapist says, by support strategy.
THERAPIST = {
    "track": (
        "So {a} reaches out about {topic}, and then {b} goes quiet, and round it goes.",
        "What happens right then between you two?",
        "Let me follow the steps: {topic} comes up, and who moves first?",
    ),
    "reframe": (
        "{a}, I hear that anger as a way of saying, don't leave me with {topic}.",
        "Maybe the silence is protection and not indifference.",
        "What if {topic} is how you ask whether you matter?",
    ),
    "evoke": (
        "{a}, what is it like inside when {topic} comes up?",
        "Stay with that for a moment, {a}. What do you feel in your body?",
        "Can you say more about the sadness, {a}?",
    ),
    "enact": (
        "{a}, could you turn to {b} and tell that directly?",
        "Say it to {b}, {a}, in your own words.",
        "Would you two look at each other and try that again?",
    ),
    "join": (
        "{a}, it makes sense to me that {topic} weighs on you.",
        "I'm glad you came, {a}, truly.",
        "I see how hard you work at this, {a}.",
    ),
    "detach": (
        "Let's look at this pattern from the outside, like a film.",
        "Imagine the argument about {topic} is a third person in this room.",
    ),
    "repair": (
        "I think I missed something there, {a}, and I'm sorry.",
        "Let me go back, {a}, I was too quick about {topic}.",
    ),
    "counterbalance": (
        "{a}, I'd like to hear from you as well.",
        "We have heard one side of {topic}; {a}, how is it over there?",
        "Hold on, I want to make room for {a}.",
    ),
    "safeguard": (
        "I'm going to stop you both here, this is getting hot.",
        "One at a time, please. Let's slow down.",
        "Take a breath, both of you.",
    ),
    "goal_align": (
        "What would the two of you like {topic} to look like in a month?",
        "So you both want the same thing with {topic}.",
        "Which small step could you take together this week?",
    ),
    "boundary": (
        "{a}, let your parents settle {topic} between themselves.",
        "That is a matter for the grown-ups, {a}.",
        "Who decides about {topic} in this family?",
    ),
}
PLAIN_THERAPIST = ("Mm-hm.", "Right.", "Okay, go on.", "I see.", "Yeah.", "So {topic} again.")

TONE = {
    "heated": ("loud and sharp, rising at the end", "raised voice, fast", "harsh, clipped", "angry and pressing"),
    "flat": ("flat and quiet", "barely audible, monotone", "withdrawn, slow", "low and tired"),
    "tender": ("soft and warm", "gentle, a little shaky", "quiet, tearful", "tender and slow"),
    "steady": ("calm and even", "steady, matter-of-fact", "light, at ease", "friendly, measured"),
}
FACE = {
    "heated": ("brows drawn together, jaw tight", "glares, lips pressed", "frowns and shakes the head"),
    "flat": ("looks away, blank face", "eyes lowered, no expression", "stares at the floor"),
    "tender": ("brows raised in the middle, eyes wet", "a small trembling smile", "soft eyes, mouth corners up"),
    "steady": ("relaxed face, nods", "open look, slight smile", "attentive, even gaze"),
}
POSTURE = {
    "heated": ("leans forward, finger pointing", "sits rigid, fists closed"),
    "flat": ("turned away, arms crossed", "slumped into the corner of the sofa"),
    "tender": ("leans towards the other, open hands", "shoulders drop, turned in"),
    "steady": ("sits upright, hands in the lap", "leans back comfortably"),
}
SELF = {
    "heated": "drums on the armrest",
    "flat": "picks at a sleeve",
    "tender": "wipes the eyes",
    "steady": "sips some water",
}
INTERACTION = {
    "heated": "interrupts with a raised hand",
    "flat": "moves away on the sofa",
    "tender": "takes the other's hand",
    "steady": "nods to the other",
}
EMOTION = {
    "heated": ("feels furious and unheard", "feels attacked and ready to fight", "feels bitter about {topic}"),
    "flat": ("feels numb and shut down", "feels hopeless and wants to get away", "feels worn out by {topic}"),
    "tender": ("feels sad but hopeful", "feels vulnerable and longs for closeness", "feels moved and relieved"),
    "steady": ("feels calm and confident", "feels understood", "feels content about {topic}"),
}
VIEWPOINT = {
    "heated": (
        "{other} never takes {topic} seriously",
        "{other} is to blame for {topic}",
        "{other} only thinks about themselves",
    ),
    "flat": (
        "talking to {other} about {topic} is useless",
        "{other} will not change",
        "it is safer to keep {topic} from {other}",
    ),
    "tender": (
        "{other} is hurting too because of {topic}",
        "{other} deserves to be heard",
        "there is love behind what {other} does",
    ),
    "steady": (
        "{other} and I can solve {topic} together",
        "{other} is making an effort",
        "{other} can be relied on with {topic}",
    ),
}
ATTITUDE = {"heated": "critical", "flat": "resigned", "tender": "caring", "steady": "positive"}
