"""Chinese about CAESAR itself."""

from typing import Any, Final

from .about_caesar import Done, Words, about_caesar

_SWITCHED: Final = (
    "light",
    "switch",
    "fan",
    "media_player",
    "climate",
    "input_boolean",
)

SENTENCES: Final[dict[str, Any]] = about_caesar(
    "zh",
    Words(
        why=(
            "<you>为什么(这么做|这样做|那么做|那样做|做这个|做那个)[了]",
            "为什么<you>(这么做|这样做|那么做|那样做)",
            "<you>为什么<did>[了]{name}",
            "为什么<you><did>[了]{name}",
        ),
        why_not=(
            "为什么(不|不行|不可以|不能|不做|没有做|没做)",
            "<you>为什么(不这么做|不这样做|不做|没有做|没做)",
            "<you>为什么拒绝[了]",
            "为什么(被拒绝|不允许)[了]",
            "<you>为什么(没有|没|不)<did>{name}",
        ),
        done=(
            "<you>[{past}][都][为我](做了什么|做过什么|做了哪些事)",
            "{past}<you>[都][为我](做了什么|做过什么|做了哪些事)",
            "我[{past}]让你做了什么",
        ),
        refused=(
            "<you>[{past}](拒绝了什么|没有做什么|没做什么)",
            "{past}<you>(拒绝了什么|没有做什么|没做什么)",
        ),
        who=(
            "[{past}](谁|是谁)[{past}]<done>[了]{name}[的]",
            "[{past}](谁|是谁)[{past}]把{name}<done>[了|的]",
        ),
        deeds=(
            Done(tool="lock.unlock", words="(解锁|打开)", domains=("lock",)),
            Done(tool="lock.lock", words="(锁上|锁|上锁)", domains=("lock",)),
            Done(tool="open", words="打开", domains=("cover", "valve")),
            Done(tool="close", words="(关闭|关上)", domains=("cover", "valve")),
            Done(tool="turn_on", words="(打开|开启|开)", domains=_SWITCHED),
            Done(tool="turn_off", words="(关闭|关掉|关)", domains=_SWITCHED),
        ),
        may=(
            "(我|我们)[<here>](可以|能)做什么",
            "<here>(我|我们)(可以|能)做什么",
            "(我|我们)[可以|能]<in>{area}(可以|能)做什么",
            "<here>允许[我]做什么",
        ),
        forget=(
            "(忘记|忘掉|忘了|删除)(这段|这次|我们的|这个)(对话|谈话|聊天)",
            "(忘记|忘掉|忘了)我[们]说[过|的][的]话",
        ),
        planned=(
            "[我](安排了什么|计划了什么|有什么安排|有哪些安排)",
            "有哪些已安排的命令",
        ),
        cancel_it=("取消(这个|那个|它)",),
        cancel=("取消(这条命令|那条命令)",),
        cancel_all=("取消所有[的][已安排的](命令|安排)",),
        past={
            "today": "今天",
            "morning": "(今天早上|今天上午|早上)",
            "afternoon": "(今天下午|下午)",
            "evening": "(今天晚上|今晚)",
            "night": "(昨晚|昨天夜里|昨夜)",
            "yesterday": "昨天",
            "week": "(这周|这个星期|最近一周|本周)",
        },
        rules={
            "did": "(打开|开启|关闭|关掉|关上|锁上|解锁|启动|停止|调整|改变)",
            "here": "(在这里|这里|在这个房间|这个房间)",
            "in": "[在]",
            "you": "[你|您]",
        },
        fillers=("请", "请问", "凯撒"),
        unspaced=True,
    ),
)
